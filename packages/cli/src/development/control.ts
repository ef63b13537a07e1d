import { collectBytes, memberOf, tryParseJson } from '@modelrun/kit'
import type { CliContext } from '../context.ts'
import { UsageError } from '../errors.ts'
import type { ConnectionOptions } from '../options.ts'
import { findConnection, findUrl } from '../service/service.ts'

/** Where `modelrun dev` listens. */
const DEV_URL = 'http://127.0.0.1:4010'

/** How long a service on this machine may take to respond, and how much of its response is read. */
const MOST_MS = 5_000
const MOST_BYTES = 64 * 1024 * 1024

/** The url of the service of `modelrun dev`. */
export function devUrl(options: ConnectionOptions, context: CliContext): string {
  // No key is sent there.
  const given = findUrl(options.baseUrl, context.env.MODELRUN_BASE_URL) ?? findConnection(options, context).url
  return (given?.value ?? DEV_URL).replace(/\/+$/, '')
}

/** Calls the control API of a service of `modelrun dev`. @throws Error when it does not respond, or with another status than 2xx */
export async function callControl(url: string, path: string, { body }: { body?: object } = {}): Promise<unknown> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const options = { ...(body && post), redirect: 'manual', signal: AbortSignal.timeout(MOST_MS) } as const
  const response = await fetch(`${url.replace(/\/+$/, '')}/_reference/${path}`, options)
  const text = await readText(response)
  if (response.ok) return tryParseJson(text)
  throw new Error(String(memberOf(memberOf(tryParseJson(text), 'error'), 'message') ?? `HTTP ${response.status}`))
}

async function readText({ body }: Response): Promise<string> {
  const kept = collectBytes(MOST_BYTES)
  for await (const chunk of body ?? []) {
    kept.add(chunk)
    if (kept.isTooLarge) throw new Error(`its response is larger than ${MOST_BYTES} bytes`)
  }
  return new TextDecoder().decode(kept.bytes())
}

/** @throws UsageError which says that there is no such service */
export function noDevServer(url: string, reason: string): UsageError {
  return new UsageError(
    `No service of \`modelrun dev\` responds at ${url}: ${reason}. Start it, or pass its --base-url.`,
  )
}
