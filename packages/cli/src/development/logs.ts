import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord, memberOf, messageWithCause, NewestMap, tryParseJson } from '@modelrun/kit'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import type { ServiceOptions } from '../options.ts'
import { Interruption } from '../run/interruption.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { callControl, devUrl, noDevServer } from './control.ts'

/** Options of `modelrun logs`. */
export interface LogsOptions extends ServiceOptions {
  follow?: boolean | undefined
}

/** Longer than the patience of an `auto` clock with clients that are silent. */
const POLL_MS = 400

/** Prints the requests that a service of `modelrun dev` has received, and with `--follow` those that come. */
export async function showLogs(_: [], options: LogsOptions, context: CliContext): Promise<ExitCode> {
  const { terminal } = context
  const url = devUrl(options, context)
  const log = createLog(terminal)
  const activity = await callControl(url, 'activity').catch((error: unknown) => {
    throw noDevServer(url, messageWithCause(error))
  })
  log(activity)
  if (!options.follow) return EXIT.done
  terminal.say(`Following ${url}. Ctrl-C ends.`)
  const interruption = new Interruption(context)
  try {
    await follow(activity, { url, log, signal: interruption.signal, terminal })
    return EXIT.done
  } finally {
    interruption.release()
  }
}

interface Following {
  url: string
  log: ReturnType<typeof createLog>
  signal: AbortSignal
  terminal: Terminal
}

/** Follows the service until the signal aborts, also when it goes away and comes back. */
async function follow(known: unknown, { url, log, signal, terminal }: Following): Promise<void> {
  let isGone = false
  let last = known
  while (!signal.aborted) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    const [epoch, place] = [memberOf(last, 'epoch'), memberOf(last, 'place')]
    const activity = await callControl(url, `activity?epoch=${epoch}&after=${place}`).catch(() => undefined)
    if (signal.aborted) return
    if (activity !== undefined && isGone) terminal.say('The service is back.')
    if (activity === undefined && !isGone) terminal.say('The service is gone. Waiting for it; Ctrl-C ends.')
    isGone = activity === undefined
    log(activity)
    last = activity ?? last
  }
}

/** So many requests and deliveries are known, so that none is printed twice. */
const MOST_KNOWN = 20_000

/** Prints the requests and deliveries of what the control API says has happened, each once. */
function createLog(terminal: Terminal): (activity: unknown) => void {
  const known = new NewestMap<string, true>(MOST_KNOWN)
  const printNew = (entry: unknown) => {
    const print = printerOf(entry)
    if (!isRecord(entry) || print === undefined) return
    // A service that was started again counts from the start.
    const id = `${entry.place} ${entry.at_ms}`
    if (!known.has(id)) print(entry, terminal)
    known.set(id, true)
  }
  return (activity) => {
    const entries = memberOf(activity, 'entries')
    for (const entry of Array.isArray(entries) ? entries : []) printNew(entry)
  }
}

function printerOf(entry: unknown): typeof printRequest | undefined {
  if (memberOf(entry, 'kind') === 'delivery') return printDelivery
  const isShown = memberOf(entry, 'kind') === 'request' && memberOf(entry, 'route') !== 'control'
  return isShown ? printRequest : undefined
}

/** Where a result went, and what the receiver responded, or why it did not. */
function printDelivery(entry: Record<string, unknown>, terminal: Terminal): void {
  const { url, job_id, outcome, status, reason, duration_ms } = entry
  const at = new Date(Number(entry.at_ms)).toISOString()
  terminal.event('delivery', { at, url, job_id, outcome, status, reason, duration_ms })
  const style = outcome === 'delivered' ? 'green' : 'red'
  const text = [outcome, status].filter(Boolean).join(' ').replace('_', ' ')
  terminal.print([`${at.slice(11, 23)}  webhook ${url} ${job_id}  `, { style, text }, `  ${duration_ms} ms`])
  if (reason) terminal.print(`              ${reason}`)
}

/** What was sent, what came back, why, and what to do. */
function printRequest(entry: Record<string, unknown>, terminal: Terminal): void {
  const { method, path, status, code, fault, duration_ms, job_id } = entry
  const message = memberOf(memberOf(tryParseJson(String(entry.response_body)), 'error'), 'message')
  const at = new Date(Number(entry.at_ms)).toISOString()
  terminal.event('request', { at, method, path, status, duration_ms, code, message, fault, job_id })
  const outcome = { style: statusColour(status), text: [status ?? 'no response', code].filter(Boolean).join(' ') }
  const line = [method, path, job_id].filter(Boolean).join(' ')
  terminal.print([`${at.slice(11, 23)}  ${line}  `, outcome, `  ${duration_ms} ms`])
  const reasons = [message, fault && `a fault was injected: ${fault}`]
  for (const reason of reasons.filter(Boolean)) terminal.print(`              ${reason}`)
}

function statusColour(status: unknown): 'red' | 'yellow' | 'green' {
  if (typeof status !== 'number' || status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
