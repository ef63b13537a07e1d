import { isLoopback } from '@modelrun/kit'
import type { ServeCommand } from './cli-options.ts'

/** What a person or program needs to use a server that has started to listen. */
export interface ReadyServer {
  url: string
  /** At least one. */
  keys: readonly string[]
  controlToken: string
  /** URL of the dashboard; `undefined` without one. */
  dashboardUrl?: string | undefined
}

/** What to print on standard output when the server listens; `undefined` for nothing. */
export function announcement(ready: ReadyServer, command: ServeCommand): string | undefined {
  switch (command.announce) {
    case 'json':
      return JSON.stringify(lineFor(ready))
    case 'text':
      return textFor(ready, command)
    case 'nothing':
      return undefined
  }
}

/** The other keys only where they were asked for: most programs know of one. */
function lineFor({ url, keys, controlToken, dashboardUrl }: ReadyServer): object {
  const [key] = keys
  return { ready: true, url, key, ...(keys.length > 1 ? { keys } : {}), controlToken, dashboardUrl }
}

function textFor(
  { url, keys, controlToken, dashboardUrl }: ReadyServer,
  { clock, host, catalog, replay }: ServeCommand,
): string {
  const lines = [
    `The reference server listens. Stop it with Ctrl+C.`,
    '',
    `  url    ${url}`,
    ...keys.map((key, index) => `  ${index === 0 ? 'key ' : '    '}   ${key}`),
    `  clock  ${clockText(clock)}`,
    ...(dashboardUrl === undefined ? [] : [`  page   ${dashboardUrl}`]),
    '',
    'Try it:',
    '',
    `  ${catalog === undefined && replay === undefined ? curlRun(url, keys[0]) : curlModels(url, keys[0])}`,
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

// Single quotes all over: a shell may take the brackets of an IPv6 address for a pattern.
function curlRun(url: string, key: string | undefined): string {
  const headers = `-H 'authorization: Bearer ${key}' -H 'content-type: application/json'`
  return `curl '${url}/v1/models/aurora-image/run' ${headers} -d '{"input":{"prompt":"a lighthouse at dawn"}}'`
}

/** A catalog of one's own may have no such model. */
function curlModels(url: string, key: string | undefined): string {
  return `curl '${url}/v1/models' -H 'authorization: Bearer ${key}'`
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
