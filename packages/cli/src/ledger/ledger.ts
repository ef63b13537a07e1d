import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { isRecord, tryParseJson } from '@modelrun/kit'
import { UsageError } from '../errors/usage-error.ts'
import type { LedgerEntry, LedgerRun } from './ledger-entry.ts'
import { stateFolder } from './state-folder.ts'

const NEWLINE = 10

/** The runs of this user, one JSON object a line. A line is on the disk before the command continues. */
export class Ledger {
  readonly path: string

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.path = join(stateFolder(env), 'ledger.jsonl')
  }

  /** @throws UsageError when it cannot be written: then nothing may be paid */
  append(entry: LedgerEntry): void {
    try {
      mkdirSync(join(this.path, '..'), { recursive: true, mode: 0o700 })
      const file = openSync(this.path, 'a+', 0o600)
      try {
        // A process that was killed may have left half a line.
        const start = endsWithNewline(file) ? '' : '\n'
        writeSync(file, `${start}${JSON.stringify({ v: 1, at: new Date().toISOString(), ...entry })}\n`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new UsageError(
        `The ledger of runs cannot be written: ${reason}. Set MODELRUN_STATE_DIR to a folder that can be written.`,
      )
    }
  }

  /** Every run, oldest first. Lines that cannot be read are left out. */
  read(): LedgerRun[] {
    if (!existsSync(this.path)) return []
    const runs = new Map<string, LedgerRun>()
    for (const line of readFileSync(this.path, 'utf8').split('\n')) applyLine(line, runs)
    return [...runs.values()]
  }

  /** The run of a job, if it was started here. */
  findJob(jobId: string): LedgerRun | undefined {
    return this.read().findLast((run) => run.job_id === jobId)
  }
}

function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE)
}

function applyLine(line: string, runs: Map<string, LedgerRun>): void {
  const entry = parseLine(line)
  if (entry === undefined) return
  if (entry.type === 'intent') {
    const { run, at, model, base_url, credits } = entry
    runs.set(run, { run, at, model, base_url, credits, status: 'intent' })
    return
  }
  const run = runs.get(entry.run)
  if (run === undefined) return
  if (entry.type === 'job') runs.set(run.run, { ...run, job_id: entry.job_id, status: 'running' })
  else if (entry.type === 'end') runs.set(run.run, { ...run, status: entry.status })
}

/** Only this command writes the file: a line that is whole JSON is an entry. */
function parseLine(line: string): (LedgerEntry & { at: string }) | undefined {
  if (line === '') return undefined
  const entry = tryParseJson(line)
  return isRecord(entry) && 'run' in entry ? (entry as unknown as LedgerEntry & { at: string }) : undefined
}
