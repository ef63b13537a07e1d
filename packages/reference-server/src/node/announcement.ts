import type { ServeCommand } from './cli-options.ts'
import { isLoopback } from './is-loopback.ts'

/** What a person or program needs to use a server that has just begun to listen. */
export interface ReadyServer {
  url: string
  key: string
  controlToken: string
}

/** What to print on standard output when the server listens; `undefined` for nothing. */
export function announcement(ready: ReadyServer, command: ServeCommand): string | undefined {
  switch (command.announce) {
    case 'json':
      return JSON.stringify({ ready: true, url: ready.url, key: ready.key, controlToken: ready.controlToken })
    case 'text':
      return textFor(ready, command)
    case 'nothing':
      return undefined
  }
}

// Single quotes all over: a shell may take the brackets of an IPv6 address for a pattern.
function textFor({ url, key, controlToken }: ReadyServer, { clock, host }: ServeCommand): string {
  const lines = [
    `The reference server listens. Stop it with Ctrl+C.`,
    '',
    `  url    ${url}`,
    `  key    ${key}`,
    `  clock  ${clockText(clock)}`,
    '',
    'Try it:',
    '',
    `  curl '${url}/v1/models/aurora-image/run' -H 'authorization: Bearer ${key}' ` +
      `-H 'content-type: application/json' -d '{"input":{"prompt":"a lighthouse at dawn"}}'`,
  ]
  if (isLoopback(host)) return lines.join('\n')
  return [
    ...lines,
    '',
    'Other machines can reach this server. Its control API, below /_reference, needs this header:',
    '',
    `  x-reference-token: ${controlToken}`,
  ].join('\n')
}

function clockText(clock: ServeCommand['clock']): string {
  if (typeof clock === 'object') return `${clock.scale} times as fast as real time`
  return CLOCK_TEXTS[clock]
}

const CLOCK_TEXTS = {
  system: 'real time',
  manual: 'stands still until POST /_reference/clock moves it',
  auto: 'skips every wait',
} as const
