import { isLoopback } from '@modelrun/kit'
import type { ServeCommand } from './cli-options.ts'

/** What a person or program needs to use a server that has started to listen. */
export interface ReadyServer {
  url: string
  key: string
  controlToken: string
  dashboardUrl?: string | undefined
}

/** What to print on standard output when the server listens. */
export function announcement(ready: ReadyServer, command: ServeCommand): string {
  return command.announce === 'json' ? JSON.stringify({ ready: true, ...ready }) : textFor(ready, command)
}

function textFor({ url, key, controlToken, dashboardUrl }: ReadyServer, { clock, host }: ServeCommand): string {
  const lines = [
    `The reference server listens. Stop it with Ctrl+C.`,
    '',
    `  url    ${url}`,
    `  key    ${key}`,
    `  clock  ${clockText(clock)}`,
    ...(dashboardUrl === undefined ? [] : [`  page   ${dashboardUrl}`]),
    '',
    // Quotes: a shell may take the brackets of an IPv6 address for a pattern.
    `Try it: curl '${url}/v1/models' -H 'authorization: Bearer ${key}'`,
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
  manual: 'is paused until POST /_reference/clock moves it: a run without sync: false waits for that',
  auto: 'skips every wait',
} as const
