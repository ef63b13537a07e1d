import type { Row } from '../data/store.ts'
import type { DeliveryEntry, JobRow, RequestEntry } from '../data/wire.ts'
import { isBad } from '../diagram/labels.ts'
import { count } from '../text/format.ts'

/** What the list can be limited to, by the word in its url. */
export const VIEWS = {
  all: 'Everything',
  problems: 'Problems',
  jobs: 'Jobs',
  control: 'Control API',
} as const

export type View = keyof typeof VIEWS

/** Whether a row is shown. Runs and polls that went well are in the row of their job. */
export function isIn(view: View, row: Row): boolean {
  const request = row.kind === 'entry' && row.entry.kind === 'request' ? row.entry : undefined
  const isControl = request?.route === 'control'
  const views: Record<View, boolean> = {
    all: request?.job_id === undefined || isProblem(row),
    problems: isProblem(row),
    jobs: row.kind === 'job',
    control: isControl,
  }
  return views[view] && isControl === (view === 'control')
}

export function isProblem(row: Row): boolean {
  if (row.kind === 'job') return row.job.status === 'failed'
  return row.entry.kind === 'note' || isBad(row.entry)
}

/** Whether every word of a search is somewhere in a row. */
export function fits(row: Row, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = Object.values(row.kind === 'job' ? row.job : row.entry)
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

export function wordsOf(search = ''): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Why a request was rejected, in the words of the service; of a response that was lost what it costs. */
export function reasonOf(
  { response_body, fault, status, code, route }: RequestEntry,
  job?: JobRow,
): string | undefined {
  if (status === undefined) {
    const lost = `The response was lost${fault === undefined ? '' : `: ${fault}`}.`
    if (job === undefined || route !== 'runModel') return lost
    const isOver = job.ended_at_ms !== undefined
    return `${lost} Its job exists: ${count(isOver ? job.charged : job.credits, 'credit')} ${isOver ? 'charged' : 'reserved'}.`
  }
  if (status < 400) return undefined
  return messageIn(response_body) ?? code
}

/** Why a delivery failed: what the receiver responded, or why it did not. */
export function missedReason({ outcome, status, reason }: DeliveryEntry): string | undefined {
  if (outcome === 'delivered') return undefined
  if (outcome === 'timeout') return 'no response within 10 s'
  if (outcome === 'network_error') return reason
  return [`the receiver responded with ${status ?? 'a redirect'}`, reason].filter(Boolean).join(': ')
}

function messageIn(text = ''): string | undefined {
  const [, quoted] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return quoted && JSON.parse(quoted)
}
