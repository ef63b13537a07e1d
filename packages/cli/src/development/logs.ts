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

const RETRY_MS = 500

/** Longest event that is read: a service of `modelrun dev` sends no longer ones. */
const MOST_CHARACTERS = 16 * 1024 * 1024

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
    await followForEver(url, log, { signal: interruption.signal, terminal })
    return EXIT.done
  } finally {
    interruption.release()
  }
}

/** Follows the service until the signal aborts, also when it goes away and comes back. */
async function followForEver(
  url: string,
  log: ReturnType<typeof createLog>,
  { signal, terminal }: { signal: AbortSignal; terminal: Terminal },
): Promise<void> {
  let isGone = false
  while (!signal.aborted) {
    try {
      const response = await fetch(`${url}/_reference/events`, { signal })
      if (response.ok && response.body !== null) {
        if (isGone) terminal.say('The service is back.')
        isGone = false
        await follow(url, log, response.body)
      }
    } catch {
      // The connection ended, or there is none.
    }
    if (signal.aborted) return
    if (!isGone) terminal.say('The service is gone. Waiting for it; Ctrl-C ends.')
    isGone = true
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

async function follow(url: string, log: ReturnType<typeof createLog>, body: ReadableStream<Uint8Array>): Promise<void> {
  let isFirst = true
  for await (const event of readEvents(body)) {
    // From its first event on nothing is missed. What came before that is not in any event.
    if (isFirst) log(await callControl(url, 'activity'))
    isFirst = false
    log(event)
  }
}

/** The data of server-sent events. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    if (rest.length > MOST_CHARACTERS) throw new Error('An event of the service is too long.')
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? []
      if (data !== undefined) yield tryParseJson(data)
    }
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
