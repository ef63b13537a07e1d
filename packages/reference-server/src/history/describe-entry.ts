import { cleanText } from '@modelrun/kit'
import type { DeliveryEntry, JobEntry, JournalEntry, RequestEntry } from './journal-entry.ts'

const MAX_BODY_SHOWN = 200

/** An entry on one line. Says the same in each run of the same seed on a virtual clock. */
export function describeEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'request':
      return describeRequest(entry)
    case 'job':
      return describeJob(entry)
    case 'delivery':
      return describeDelivery(entry)
    case 'note':
      return `note: ${oneLine(entry.text)}`
  }
}

/** A time relative to the start of the journal, as wide as a column. */
export function describeTime(at: number, startAt: number): string {
  return `+${Math.round(at - startAt)} ms`.padStart(12)
}

function describeRequest({ method, path, requestBody, ...entry }: RequestEntry): string {
  const { status = 'no response', jobStatus, code, fault, durationMs } = entry
  const body = requestBody === undefined ? '' : ` ${withoutPort(oneLine(requestBody))}`
  const sent = `${method} ${path}${body.length > MAX_BODY_SHOWN ? `${body.slice(0, MAX_BODY_SHOWN)}...` : body}`
  return `${sent} -> ${responseOf([status, jobStatus, code, fault && `(fault: ${fault})`], durationMs)}`
}

function describeDelivery({ url, outcome, status, reason, durationMs }: DeliveryEntry): string {
  const parts = [outcome, status, reason && `(${withoutPort(oneLine(reason))})`]
  return `webhook to ${withoutPort(url)} -> ${responseOf(parts, durationMs)}`
}

function responseOf(parts: readonly (string | number | undefined)[], durationMs: number): string {
  const took = durationMs > 0 ? `after ${Math.round(durationMs)} ms` : undefined
  return [...parts, took].filter((part) => part !== undefined).join(' ')
}

function describeJob({ from, to, credits, code, isCharged }: JobEntry): string {
  if (from === undefined) return `job created, ${to}: ${credits} credits reserved`
  const because = code === undefined ? '' : ` ${code}`
  return `job ${from} -> ${to}${because}${creditsOf(to, credits, isCharged)}`
}

function creditsOf(to: JobEntry['to'], credits: number, isCharged?: boolean): string {
  if (to === 'succeeded' || isCharged) return `: ${credits} credits charged`
  return to === 'processing' ? '' : `: ${credits} credits given back`
}

// A receiver of a test listens on another port each time.
function withoutPort(text: string): string {
  return text.replace(/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1:*')
}

function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}
