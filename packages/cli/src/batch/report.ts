import { writeFile } from 'node:fs/promises'
import type { Run } from '@modelrun/durable'
import { EXIT, type ExitCode } from '../context.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cleanText, countText, priceText } from '../terminal/text.ts'
import type { RowAttempt } from './attempts.ts'

/** How a row ended. */
export interface RowEnd {
  row: number
  key: string
  /** `unsaved`: it succeeded, and its files could not be fetched. */
  state: 'succeeded' | 'unsaved' | 'failed' | 'rejected' | 'unknown'
  job_id: string | undefined
  /** Paths of its files. */
  files: readonly string[]
  /** Where the service has them. */
  urls: readonly string[]
  /** Its price. Undefined where it is not known whether it was charged. */
  credits: number | undefined
  /** 1 for a row that was never retried. */
  attempt: number
  error?: string | undefined
  /** The row as it stands in the file. */
  input: Readonly<Record<string, unknown>>
}

/** What every end has of its row. */
export function endOf({ row, key, attempt, cells }: RowAttempt, job_id: string | undefined) {
  return { row, key, job_id, attempt, input: Object.fromEntries(cells) }
}

/** How a row ended that has no result. */
export function failedRow(row: RowAttempt, run: Run): RowEnd {
  const state = stateOf(run)
  const credits = state === 'rejected' ? 0 : undefined
  return { ...endOf(row, run.jobId), state, files: [], urls: [], credits, error: cleanText(reasonOf(run)) }
}

function stateOf({ state, jobId }: Run): 'failed' | 'rejected' | 'unknown' {
  if (state === 'rejected' || state === 'unknown') return state
  // A run that was cancelled before it was sent has no job.
  return jobId === undefined ? 'rejected' : 'failed'
}

/** In the words of the service, or of the command line: messages of the client are for programs. */
function reasonOf({ state, jobId, error }: Run): string {
  const { code = 'UNKNOWN', message = 'The service gave no reason.' } = error ?? {}
  if (state === 'cancelled' && jobId !== undefined) return 'its job was cancelled'
  if (state === 'failed') return `${code}: ${message}`
  if (state !== 'unknown') return message
  if (jobId !== undefined) return 'the service has no such job for this key, or did not say how it ended'
  if (code === 'process_died') return 'the process ended while it was sent'
  return 'the connection ended while it was sent'
}

const STATES = ['succeeded', 'unsaved', 'failed', 'rejected', 'unknown'] as const
const MOST_LISTED = 20

/** The last column of the table. The command is the same one, with more options. */
const TO_DO: Readonly<Record<RowEnd['state'], string>> = {
  succeeded: '',
  unsaved: 'the same command fetches their files',
  failed: 'add --retry-failed to run them again, as new paid runs',
  rejected: 'add --retry-failed to send them again',
  unknown: 'decide: see below',
}

/** Prints how many rows ended how, and those that need attention. Gives the exit code. */
export function reportBatch(ends: readonly RowEnd[], credits: number, terminal: Terminal): ExitCode {
  const counts = Object.fromEntries(STATES.map((state) => [state, ends.filter((end) => end.state === state).length]))
  terminal.event('summary', { total: ends.length, ...counts, credits })
  const shown = STATES.filter((state) => (counts[state] ?? 0) > 0)
  const heading = shown.some((state) => TO_DO[state] !== '') ? ['STATE', 'ROWS', 'WHAT TO DO'] : ['STATE', 'ROWS']
  terminal.printTable([heading, ...shown.map((state) => [state, String(counts[state]), TO_DO[state]])])
  terminal.say(`${countText(ends.length, 'row')}, at most ${priceText(credits)}`)
  for (const state of ['failed', 'rejected', 'unsaved', 'unknown'] as const) listRows(state, ends, terminal)
  if (counts.unknown || counts.unsaved) return EXIT.unknown
  if (counts.failed) return EXIT.failed
  return counts.rejected ? EXIT.rejected : EXIT.done
}

const ADVICE = {
  failed:
    'Failed: the service ran them. The same command with --retry-failed runs them again; each is paid as a new run.',
  rejected: 'Rejected: nothing was charged for them. The same command with --retry-failed sends them again.',
  unsaved: 'Succeeded, and not saved: the same command again fetches their files.',
  unknown:
    'Unknown: they may have been charged, so they are not sent again by themselves.\n' +
    'If you know the job of a row, add --job <row>=<job_id>: its result is fetched, and nothing is paid.\n' +
    'Add --resubmit-unknown to send them again, as new paid runs. That may pay for them twice.',
} as const

/** Of unknown rows that have a job: the service did not have it, perhaps because another one responded. */
const POLL_ADVICE =
  'The same command polls those again that have a job, and nothing is paid. Check the url and the key first.'

function listRows(state: keyof typeof ADVICE, ends: readonly RowEnd[], terminal: Terminal): void {
  const listed = ends.filter((end) => end.state === state)
  if (listed.length === 0) return
  terminal.say(ADVICE[state])
  if (state === 'unknown' && listed.some(({ job_id }) => job_id !== undefined)) terminal.say(POLL_ADVICE)
  for (const { row, job_id, error, attempt } of listed.slice(0, MOST_LISTED)) {
    const times = attempt === 1 ? '' : `attempt ${attempt}`
    terminal.say(`  ${[`row ${row}`, times, job_id, error].filter(Boolean).join('  ')}`)
  }
  if (listed.length > MOST_LISTED) terminal.say(`  and ${listed.length - MOST_LISTED} more: see --report <file>`)
}

/** Writes what every row was and became: JSON lines for a file `.jsonl`, else CSV. The columns of the file come last. */
export async function writeReport(path: string, ends: readonly RowEnd[]): Promise<void> {
  const sorted = ends.toSorted((a, b) => a.row - b.row)
  const content = /\.jsonl$/i.test(path)
    ? sorted.map((end) => `${JSON.stringify(end)}\n`)
    : csvTable(sorted).map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
  await writeFile(path, content.join(''))
}

const COLUMNS = ['row', 'key', 'state', 'job_id', 'files', 'error', 'attempt', 'urls', 'credits'] as const

function csvTable(ends: readonly RowEnd[]): string[][] {
  const columns = [...new Set(ends.flatMap(({ input }) => Object.keys(input)))]
  const rows = ends.map((end) => [
    ...COLUMNS.map((column) => cellText(end[column])),
    ...columns.map((column) => cellText(Object.hasOwn(end.input, column) ? end.input[column] : undefined)),
  ])
  return [[...COLUMNS, ...columns.map((column) => `input.${column}`)], ...rows]
}

function cellText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
}

/** Spreadsheets run a text that starts like a formula. Texts of the service must not run. */
function csvCell(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
