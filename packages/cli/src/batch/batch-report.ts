import { writeFile } from 'node:fs/promises'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { countText, priceText } from '../models/price-text.ts'
import { tableLines } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { RowEnd } from './row-end.ts'

const STATES = ['succeeded', 'unsaved', 'failed', 'rejected', 'unknown'] as const
const MOST_LISTED = 20

const RETRY = 'add --retry-failed to run them again, as new paid runs'

/** The last column of the table. The command is the same one, with more options. */
const TO_DO: Readonly<Record<RowEnd['state'], string>> = {
  succeeded: '',
  unsaved: 'the same command fetches their files',
  failed: RETRY,
  rejected: RETRY,
  unknown: 'decide with --job or --resubmit-unknown',
}

/** Prints how many rows ended how, and those that need a look. Gives the exit code. */
export function reportBatch(ends: readonly RowEnd[], credits: number, terminal: Terminal): ExitCode {
  const counts = Object.fromEntries(STATES.map((state) => [state, ends.filter((end) => end.state === state).length]))
  terminal.event('summary', { total: ends.length, ...counts, credits })
  const shown = STATES.filter((state) => (counts[state] ?? 0) > 0)
  const heading = shown.some((state) => TO_DO[state] !== '') ? ['STATE', 'ROWS', 'WHAT TO DO'] : ['STATE', 'ROWS']
  const rows = [heading, ...shown.map((state) => [state, String(counts[state]), TO_DO[state]])]
  for (const line of tableLines(rows, terminal.columns)) terminal.print(line)
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
    'Unknown: they may have been charged, and are not sent again by themselves. Look for their jobs at the service. ' +
    'Then: --job <row>=<job_id>, or --resubmit-unknown, which may pay twice.',
} as const

function listRows(state: keyof typeof ADVICE, ends: readonly RowEnd[], terminal: Terminal): void {
  const listed = ends.filter((end) => end.state === state)
  if (listed.length === 0) return
  terminal.say(ADVICE[state])
  for (const { row, key, job_id, error, attempt } of listed.slice(0, MOST_LISTED)) {
    const times = attempt === 1 ? '' : `attempt ${attempt}  `
    terminal.say(`  row ${row}  ${times}${job_id ?? key}  ${error ?? ''}`.trimEnd())
  }
  if (listed.length > MOST_LISTED) terminal.say(`  and ${listed.length - MOST_LISTED} more: see --report <file>`)
}

/** Writes a table of all rows as CSV. */
export async function writeReport(path: string, ends: readonly RowEnd[]): Promise<void> {
  const rows = ends
    .toSorted((a, b) => a.row - b.row)
    .map(({ row, key, state, job_id, files, error, attempt }) => {
      return [String(row), key, state, job_id ?? '', files.join(' '), error ?? '', String(attempt)]
    })
  const lines = [['row', 'key', 'state', 'job_id', 'files', 'error', 'attempt'], ...rows].map((cells) =>
    cells.map(csvCell).join(','),
  )
  await writeFile(path, `${lines.join('\r\n')}\r\n`)
}

/** Spreadsheets run a text that starts like a formula. Texts of the service must not run. */
function csvCell(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
