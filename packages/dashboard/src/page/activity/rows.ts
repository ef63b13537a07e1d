import type { Row } from '../data/store.ts'
import type { Entry, JobRow, RequestEntry } from '../data/wire.ts'

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
  const isControl = row.kind === 'request' && row.entry.route === 'control'
  switch (view) {
    case 'control':
      return isControl
    case 'jobs':
      return row.kind === 'job'
    case 'requests':
      return row.kind === 'request' && !isControl
    case 'deliveries':
      return row.kind === 'delivery'
    case 'problems':
      return isProblem(row) && !isControl
    case 'all':
      return !isControl && (row.kind !== 'request' || row.entry.job_id === undefined || isProblem(row))
  }
}

export function isProblem(row: Row): boolean {
  switch (row.kind) {
    case 'job':
      return row.job.status === 'failed'
    case 'request':
      return row.entry.status === undefined || row.entry.status >= 400
    case 'delivery':
      return row.entry.outcome !== 'delivered'
    case 'note':
      return true
  }
}

/** Whether every word of a search is somewhere in a row. */
export function fits(row: Row, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = textOf(row.kind === 'job' ? row.job : row.entry)
  return words.every((word) => text.includes(word))
}

function textOf(fields: JobRow | Entry): string {
  return Object.values(fields).join(' ').toLowerCase()
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

/** What to send instead. Which assumption of the server is behind a response does not help here. */
export function adviceIn(hint = ''): string {
  return hint.replace(/Section \S+ leaves this open; assumption [^.]*\.?/g, '').trim()
}

function messageIn(text = ''): string | undefined {
  return /"message"\s*:\s*("(?:[^"\\]|\\.)*")/
    .exec(text)
    ?.slice(1)
    .map((quoted): string => JSON.parse(quoted))[0]
}
