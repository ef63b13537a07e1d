import { writeFile } from 'node:fs/promises'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { countText, priceText } from '../models/price-text.ts'
import { tableLines } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { RowEnd } from './row-end.ts'

const STATES = ['succeeded', 'unsaved', 'failed', 'rejected', 'unknown'] as const
const MOST_LISTED = 20

/** Prints how many rows ended how, and those that need attention. Gives the exit code. */
export function reportBatch(ends: readonly RowEnd[], credits: number, terminal: Terminal): ExitCode {
  const counts = Object.fromEntries(STATES.map((state) => [state, ends.filter((end) => end.state === state).length]))
  terminal.event('summary', { total: ends.length, ...counts, credits })
  const shown = STATES.filter((state) => (counts[state] ?? 0) > 0)
  const rows = [['STATE', 'ROWS'], ...shown.map((state) => [state, String(counts[state])])]
  for (const line of tableLines(rows, terminal.columns)) terminal.print(line)
  terminal.say(`${countText(ends.length, 'row')}, at most ${priceText(credits)}`)
  for (const state of ['failed', 'rejected', 'unsaved', 'unknown'] as const) listRows(state, ends, terminal)
  if (counts.unknown || counts.unsaved) return EXIT.unknown
  if (counts.failed) return EXIT.failed
  return counts.rejected ? EXIT.rejected : EXIT.done
}

const ADVICE = {
  failed: 'Failed: the service ran them.',
  rejected: 'Rejected: nothing was charged for them.',
  unsaved: 'Succeeded, and not saved: the same command again fetches their files.',
  unknown:
    'Unknown: they may have been charged, and are not sent again by themselves. Look for their jobs at the service. ' +
    'Then: --job <row>=<job_id>, or --resubmit-unknown, which may pay twice.',
} as const

function listRows(state: keyof typeof ADVICE, ends: readonly RowEnd[], terminal: Terminal): void {
  const listed = ends.filter((end) => end.state === state)
  if (listed.length === 0) return
  terminal.say(ADVICE[state])
  for (const { row, key, job_id, error } of listed.slice(0, MOST_LISTED)) {
    terminal.say(`  row ${row}  ${job_id ?? key}  ${error ?? ''}`.trimEnd())
  }
  if (listed.length > MOST_LISTED) terminal.say(`  and ${listed.length - MOST_LISTED} more: see --report <file>`)
}

/** Writes a table of all rows as CSV. */
export async function writeReport(path: string, ends: readonly RowEnd[]): Promise<void> {
  const rows = ends
    .toSorted((a, b) => a.row - b.row)
    .map(({ row, key, state, job_id, files, error }) => {
      return [String(row), key, state, job_id ?? '', files.join(' '), error ?? '']
    })
  const lines = [['row', 'key', 'state', 'job_id', 'files', 'error'], ...rows].map((cells) =>
    cells.map(csvCell).join(','),
  )
  await writeFile(path, `${lines.join('\r\n')}\r\n`)
}

/** Spreadsheets run a text that starts like a formula. Texts of the service must not run. */
function csvCell(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
