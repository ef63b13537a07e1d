import { lstatSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Run } from '@modelrun/durable'
import { stringify } from 'csv-stringify/sync'
import { EXIT, type ExitCode } from '../context.ts'
import { messageOf, UsageError } from '../errors.ts'
import { writePrivate } from '../files/private-files.ts'
import { prepareFolder, urlsOf } from '../files/save-files.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cleanText, countText, priceText, safeJson } from '../terminal/text.ts'
import { stateFolder } from './account.ts'
import type { Row } from './rows.ts'

const STATES = ['succeeded', 'unsaved', 'running', 'waiting', 'failed', 'rejected', 'unknown'] as const

/** `unsaved`: it succeeded, and not all of its files could be saved. */
export type RowState = (typeof STATES)[number]

/** A row, as far as it is known: the state of a batch has no file of rows. */
export type KnownRow = Pick<Row, 'key' | 'attempt' | 'run' | 'unknown' | 'repeated' | 'files' | 'saveProblem'> &
  Partial<Pick<Row, 'row' | 'cells'>>

/** How a row is called: the state of a batch has no numbers. */
export function nameOf({ row, key }: { row?: number | undefined; key: string }): string {
  return row === undefined ? `key ${key}` : `row ${row}`
}

export type RowReport = ReturnType<typeof describeRow>

/** Says what a row was and became. Its price is the one that was agreed to. */
export function describeRow(known: KnownRow) {
  const { row, key, attempt, cells, run, repeated, files = [], saveProblem } = known
  const price = run?.maxCredits
  const state = rowState(known)
  const shown = state === 'unknown' ? [run, repeated] : [run]
  const problems = shown.flatMap((one) => (one && runProblem(one)) ?? [])
  return {
    row,
    key,
    attempt,
    input: cells === undefined ? { ...run?.input } : Object.fromEntries(cells),
    state,
    job_id: run?.jobId,
    request_id: run?.requestId,
    sent_at: sendsOf(known).join(' ') || undefined,
    files,
    urls: run?.output === undefined ? [] : urlsOf(run.output),
    /** Undefined where it is not known whether it was charged. */
    credits: rowCredits(state, price),
    at_risk: creditsAtRisk(known),
    error: saveProblem ?? (problems.join(' Sent again: ') || undefined),
  }
}

function rowState({ run, files, saveProblem }: KnownRow): RowState {
  if (run === undefined) return 'waiting'
  if (run.state === 'succeeded') return files === undefined || saveProblem !== undefined ? 'unsaved' : 'succeeded'
  // A run that was cancelled before it was sent has no job.
  if (run.state === 'cancelled') return run.jobId === undefined ? 'rejected' : 'failed'
  return run.state
}

function rowCredits(state: RowState, price: number | undefined): number | undefined {
  if (state === 'succeeded' || state === 'unsaved') return price
  return state === 'rejected' || state === 'waiting' ? 0 : undefined
}

/** When the row was sent: each attempt that may be paid, unless one succeeded. */
function sendsOf({ run, unknown = [] }: KnownRow): string[] {
  const sent = run?.state === 'succeeded' ? [run] : [run, ...unknown]
  return sent.flatMap((one) => (one?.sentAt === undefined ? [] : [new Date(one.sentAt).toISOString()]))
}

function creditsAtRisk({ run, unknown = [] }: KnownRow): number | undefined {
  if (run?.state === 'succeeded') return undefined
  const risky = [run, ...unknown].filter((one) => one?.state === 'unknown')
  return risky.length === 0 ? undefined : risky.reduce((sum, one) => sum + (one?.maxCredits ?? 0), 0)
}

/** In the words of the service, or of the command line: messages of the client are for programs. */
function runProblem({ state, jobId, error }: Run): string | undefined {
  const { code = 'UNKNOWN', message = 'The service gave no reason.' } = error ?? {}
  if (state === 'waiting' || state === 'running' || state === 'succeeded') return undefined
  if (state === 'cancelled' && jobId !== undefined) return 'its job was cancelled'
  if (state === 'failed') return `${code}: ${message}`
  if (state !== 'unknown') return message
  if (jobId !== undefined) return 'the service has no such job for this key, or did not say how it ended'
  if (code === 'process_died') return 'the process ended while it was sent'
  // The summary says what to do.
  return message
    .replace(/^The run may have been accepted: (\w+: )?/, '')
    .replace(/ The service may have accepted .*$/s, '')
}

const MOST_LISTED = 20

/** The last column of the table. The command is the same one, with more options. */
const TO_DO: Readonly<Record<RowState, string>> = {
  succeeded: '',
  unsaved: 'the same command fetches what is missing',
  running: 'the same command continues with them',
  waiting: 'the same command sends them',
  failed: 'add --retry-failed to run them again, as new paid runs',
  rejected: 'add --retry-failed to send them again',
  unknown: 'decide: see below',
}

interface Summary {
  report?: string | undefined
  /** Of all runs that were sent, in credits: the most that was charged. */
  credits: number
  terminal: Terminal
}

/** Writes the report, and prints how many rows are in which state, and those that need attention. Returns the exit code. */
export async function printReport(reports: readonly RowReport[], summary: Summary): Promise<ExitCode> {
  const { credits, terminal } = summary
  const written = writeReport(reports, summary)
  const counts = new Map(STATES.map((state) => [state, reports.filter((one) => one.state === state).length]))
  const at_risk = reports.reduce((sum, report) => sum + (report.at_risk ?? 0), 0)
  terminal.event('summary', { total: reports.length, ...Object.fromEntries(counts), credits, at_risk })
  const shown = STATES.filter((state) => counts.get(state))
  const heading = shown.some((state) => TO_DO[state] !== '') ? ['STATE', 'ROWS', 'WHAT TO DO'] : ['STATE', 'ROWS']
  await terminal.printTable([heading, ...shown.map((state) => [state, String(counts.get(state)), TO_DO[state]])])
  const risk = at_risk ? `, ${priceText(at_risk)} of them at risk: it is not known whether they were charged` : ''
  terminal.say(`${countText(reports.length, 'row')}, at most ${priceText(credits)}${risk}`)
  for (const state of ['failed', 'rejected', 'unsaved', 'unknown'] as const) listRows(state, reports, terminal)
  if (counts.get('unknown') || counts.get('unsaved')) return EXIT.unknown
  if (counts.get('failed')) return EXIT.failed
  return counts.get('rejected') ? EXIT.rejected : written
}

function unknownAdvice(reports: readonly RowReport[]): string[] {
  const [name, command] = reports.some(({ row }) => row !== undefined) ? ['row', ''] : ['key', ' to `modelrun batch`']
  return [
    'They may have been charged, so they are not sent again by themselves.',
    `If you know the job of a row, add --job <${name}>=<job_id>: its result is fetched, and nothing is paid for it.`,
    `Add --resubmit-unknown${command} to send them again, as new paid runs. That may pay for them twice.`,
  ]
}

/** Of unknown rows that have a job: the service did not have it, perhaps because another one responded. */
const POLL_ADVICE =
  'The same command polls those again that have a job, and nothing is paid for them. Check the url and the key first.'

function listRows(state: RowState, reports: readonly RowReport[], terminal: Terminal): void {
  const listed = reports.filter((one) => one.state === state)
  if (listed.length === 0) return
  const isUnknown = state === 'unknown'
  const lines = listed.slice(0, MOST_LISTED).map(({ row, key, job_id, request_id, sent_at, error, attempt }) => {
    const times = attempt === 1 ? '' : `attempt ${attempt}`
    const request = isUnknown && request_id !== undefined ? `request ${request_id}` : ''
    const sent = isUnknown && sent_at !== undefined ? `sent at ${sent_at}` : ''
    return `  ${[nameOf({ row, key }), times, job_id, request, sent, error].filter(Boolean).join('  ')}`
  })
  if (listed.length > MOST_LISTED) lines.push(`  and ${listed.length - MOST_LISTED} more: see --report <file>`)
  if (isUnknown && listed.some(({ job_id }) => job_id !== undefined)) lines.unshift(POLL_ADVICE)
  terminal.say(`Rows that are ${state}:`, [...(isUnknown ? unknownAdvice(listed) : []), ...lines])
}

/**
 * Checks that a report can be written, before a run is paid. It replaces nothing but an earlier report: the file of a key or of the
 * rows, an image, or the state of a batch stays.
 *
 * @throws UsageError
 */
export function checkReport(path: string, { out }: { out?: string | undefined }): void {
  const wrong = (problem: string) => new UsageError(`--report ${path} ${problem}. Nothing was sent.`)
  const [report, state] = [resolve(path), resolve(stateFolder(out ?? '.'))]
  if (out !== undefined && dirname(report) === state) throw wrong('is in the folder of the state of the batch')
  if (!/\.csv$/i.test(path) && !JSON_LINES.test(path)) throw wrong('must end in .csv or .jsonl')
  prepareFolder(dirname(path), 'Choose another folder with --report.')
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw wrong('must be a file, and is something else')
  if (!REPORT_START.test(readFileSync(path, 'utf8')))
    throw wrong('is not an earlier report, and would be replaced: name another file')
}

const JSON_LINES = /\.(jsonl|ndjson)$/i

/** Spreadsheets save the heading without quotes, and with another delimiter. */
const REPORT_START =
  /^\uFEFF?(\s*$|"?row"?[,;\t]"?key"?[,;\t]"?state"?|\{("row":\d+,)?"key":"(?:[^"\\]|\\.)*","attempt":)/

/**
 * Writes what every row was and became: JSON lines for a file `.jsonl`, else CSV. The columns of the file come last. A report that
 * cannot be written, as one that a spreadsheet has open, hides nothing else. Returns the exit code.
 */
export function writeReport(reports: readonly RowReport[], { report, terminal }: Omit<Summary, 'credits'>): ExitCode {
  if (report === undefined) return EXIT.done
  const isJson = JSON_LINES.test(report)
  try {
    writePrivate(report, isJson ? reports.map((one) => `${safeJson(one)}\n`).join('') : csvReport(reports))
    return EXIT.done
  } catch (error) {
    const again = 'The same command with --dry-run writes it, and sends nothing.'
    terminal.say(`The report cannot be written: ${messageOf(error)}. ${again}`)
    return EXIT.failed
  }
}

const COLUMNS = [
  ...(['row', 'key', 'state', 'job_id', 'files', 'error', 'attempt', 'urls', 'credits', 'sent_at'] as const),
  'request_id',
] as const

/** Every cell is in quotes, and none is a formula: texts of the service must not run in a spreadsheet. */
function csvReport(reports: readonly RowReport[]): string {
  const columns = [...new Set(reports.flatMap(({ input }) => Object.keys(input)))]
  const rows = reports.map((one) => [
    ...COLUMNS.map((column) => cleanText(cellText(one[column]))),
    ...columns.map((column) => cellText(Object.hasOwn(one.input, column) ? one.input[column] : undefined)),
  ])
  const table = [[...COLUMNS, ...columns.map((column) => `input.${column}`)], ...rows]
  return stringify(table, { quoted: true, quoted_empty: false, escape_formulas: true, record_delimiter: 'windows' })
}

function cellText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
}
