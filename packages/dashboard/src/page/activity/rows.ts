import type { Row } from '../data/store.ts'
import type { RequestEntry } from '../data/wire.ts'
import { isBad } from '../diagram/labels.ts'

/** What the list can be limited to, by the word in its url. */
export const VIEWS = {
  all: 'Everything',
  problems: 'Problems',
  jobs: 'Jobs',
  requests: 'Requests',
  deliveries: 'Deliveries',
  control: 'Control API',
} as const

export type View = keyof typeof VIEWS

/** Whether a row is shown. Runs and polls that went well are in the row of their job. */
export function isIn(view: View, row: Row): boolean {
  const kind = row.kind === 'job' ? 'job' : row.entry.kind
  const request = row.kind === 'entry' && row.entry.kind === 'request' ? row.entry : undefined
  const isControl = request?.route === 'control'
  const views: Record<View, boolean> = {
    all: request?.job_id === undefined || isProblem(row),
    problems: isProblem(row),
    jobs: kind === 'job',
    requests: kind === 'request',
    deliveries: kind === 'delivery',
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

/** Why a request was rejected, in the words of the service. */
export function reasonOf({ response_body, fault, status, code }: RequestEntry): string | undefined {
  if (status === undefined) return `The response was lost${fault === undefined ? '' : `: ${fault}`}.`
  if (status < 400) return undefined
  return messageIn(response_body) ?? code
}

function messageIn(text = ''): string | undefined {
  const [, quoted] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return quoted && JSON.parse(quoted)
}
