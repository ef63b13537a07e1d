import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord, memberOf, messageWithCause, tryParseJson } from '@modelrun/kit'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import type { ServiceOptions } from '../options.ts'
import { Interruption } from '../run/interruption.ts'
import { findConnection, findUrl } from '../service/service.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface LogsOptions extends ServiceOptions {
  follow?: boolean | undefined
}

const DEV_URL = 'http://127.0.0.1:4010'

/** How long a service on this machine may take to respond. */
const MOST_MS = 5_000

/** Longer than the patience of an `auto` clock with clients that are silent. */
const POLL_MS = 400

/** Prints the requests that a service of `modelrun dev` has received, and with `--follow` those that come. */
export async function showLogs(_: [], options: LogsOptions, context: CliContext): Promise<ExitCode> {
  const { terminal, env } = context
  // No key is sent there.
  const given = findUrl(options.baseUrl, env.MODELRUN_BASE_URL) ?? findConnection(options, context).url
  const url = (given?.value ?? DEV_URL).replace(/\/+$/, '')
  const activity = await readActivity(url, '').catch((error: unknown) => {
    const reason = messageWithCause(error)
    throw new UsageError(
      `No service of \`modelrun dev\` responds at ${url}: ${reason}. Start it, or pass its --base-url.`,
    )
  })
  printEntries(activity, terminal)
  if (!options.follow) return EXIT.done
  terminal.say(`Following ${url}. Ctrl-C ends.`)
  await follow(activity, { url, signal: new Interruption(context).signal, terminal })
  return EXIT.done
}

/** @throws Error when the service does not respond, or with another status than 2xx */
async function readActivity(url: string, query: string): Promise<unknown> {
  const options = { redirect: 'manual', signal: AbortSignal.timeout(MOST_MS) } as const
  const response = await fetch(`${url}/_reference/activity${query}`, options)
  const body = tryParseJson(await response.text())
  if (response.ok && Array.isArray(memberOf(body, 'entries'))) return body
  throw new Error(String(memberOf(memberOf(body, 'error'), 'message') ?? `HTTP ${response.status}, of something else`))
}

/** Follows the service until the signal aborts, also when it goes away and comes back. */
async function follow(
  known: unknown,
  { url, signal, terminal }: { url: string; signal: AbortSignal; terminal: Terminal },
): Promise<void> {
  let isGone = false
  let last = known
  while (!signal.aborted) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    // A service that was started again has another epoch, and lists all that it has.
    const [epoch, place] = [memberOf(last, 'epoch'), memberOf(last, 'place')]
    const activity = await readActivity(url, `?epoch=${epoch}&after=${place}`).catch(() => undefined)
    if (signal.aborted) return
    if (activity !== undefined && isGone) terminal.say('The service is back.')
    if (activity === undefined && !isGone) terminal.say('The service is gone. Waiting for it; Ctrl-C ends.')
    isGone = activity === undefined
    printEntries(activity, terminal)
    last = activity ?? last
  }
}

function printEntries(activity: unknown, terminal: Terminal): void {
  const entries = memberOf(activity, 'entries')
  for (const entry of Array.isArray(entries) ? entries.filter(isRecord) : []) {
    if (entry.kind === 'delivery') printDelivery(entry, terminal)
    if (entry.kind === 'request' && entry.route !== 'control') printRequest(entry, terminal)
  }
}

function printDelivery(entry: Record<string, unknown>, terminal: Terminal): void {
  const { url, job_id, outcome, status, reason, duration_ms } = entry
  const at = timeOf(entry)
  terminal.event('delivery', { at, url, job_id, outcome, status, reason, duration_ms })
  const style = outcome === 'delivered' ? 'green' : 'red'
  const text = [outcome, status].filter(Boolean).join(' ').replace('_', ' ')
  terminal.print([`${at.slice(11, 23)}  webhook ${url} ${job_id}  `, { style, text }, `  ${duration_ms} ms`])
  if (reason) terminal.print(`              ${reason}`)
}

function printRequest(entry: Record<string, unknown>, terminal: Terminal): void {
  const { method, path, status, code, fault, duration_ms, job_id } = entry
  const message = memberOf(memberOf(tryParseJson(String(entry.response_body)), 'error'), 'message')
  const at = timeOf(entry)
  terminal.event('request', { at, method, path, status, duration_ms, code, message, fault, job_id })
  const outcome = { style: statusColour(status), text: [status ?? 'no response', code].filter(Boolean).join(' ') }
  const line = [method, path, job_id].filter(Boolean).join(' ')
  terminal.print([`${at.slice(11, 23)}  ${line}  `, outcome, `  ${duration_ms} ms`])
  const reasons = [message, fault && `a fault was injected: ${fault}`]
  for (const reason of reasons.filter(Boolean)) terminal.print(`              ${reason}`)
}

/** Something else than this service may respond there. */
function timeOf({ at_ms }: Record<string, unknown>): string {
  const time = new Date(Number(at_ms))
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

function statusColour(status: unknown): 'red' | 'yellow' | 'green' {
  if (typeof status !== 'number' || status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
