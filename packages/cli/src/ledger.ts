import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRecord, tryParseJson } from '@modelrun/kit'
import type { CliContext } from './context.ts'
import { messageOf, UsageError } from './errors.ts'
import { appendPrivate, makeFolder } from './files/private-files.ts'
import type { Env, Terminal } from './terminal/terminal.ts'

/** `not_sent` and `rejected` cost nothing. `unknown` may have been charged. */
type RunEnd = 'succeeded' | 'failed' | 'cancelled' | 'not_sent' | 'rejected' | 'unknown'

interface IntentEntry {
  type: 'intent'
  run: string
  model: string
  base_url: string
  credits: number
}

/** A line of the ledger: the intent, the job when the service has accepted it, the end when it is known. `run` joins them. */
export type LedgerEntry =
  | IntentEntry
  | { type: 'job'; run: string; job_id: string }
  | { type: 'end'; run: string; status: RunEnd }

export interface LedgerRun extends Omit<IntentEntry, 'type'> {
  /** When it was written down, in ISO 8601. */
  at: string
  job_id?: string | undefined
  /** `intent`: it may have been sent, by a process that ended. `running`: its job is known. */
  status: RunEnd | 'intent' | 'running'
}

/** Folder of what the command remembers: `MODELRUN_STATE_DIR`, else that of the XDG specification. */
export function stateFolder({ MODELRUN_STATE_DIR, XDG_STATE_HOME }: Env): string {
  return MODELRUN_STATE_DIR || join(XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'modelrun')
}

/** The runs of this user, one JSON object a line. A line is on the disk before the command continues. */
export class Ledger {
  readonly path: string
  readonly #terminal: Pick<Terminal, 'say'>

  constructor({ env, terminal }: Pick<CliContext, 'env'> & { terminal: Pick<Terminal, 'say'> }) {
    this.path = join(stateFolder(env), 'ledger.jsonl')
    this.#terminal = terminal
  }

  /** @throws UsageError for an intent that cannot be written: then nothing may be paid. What was sent continues without it. */
  append(entry: LedgerEntry): void {
    try {
      makeFolder(dirname(this.path), 0o700)
      // The line break comes first: a process that was killed may have left half a line.
      appendPrivate(this.path, `\n${JSON.stringify({ v: 1, at: new Date().toISOString(), ...entry })}`)
    } catch (error) {
      const problem = `The ledger of runs cannot be written: ${messageOf(error)}.`
      if (entry.type === 'intent')
        throw new UsageError(`${problem} Nothing was sent. Set MODELRUN_STATE_DIR to a folder that can be written.`)
      this.#terminal.say(problem)
    }
  }

  /** Every run, oldest first. Lines that cannot be read are left out. */
  read(): LedgerRun[] {
    const runs = new Map<string, LedgerRun>()
    try {
      const text = existsSync(this.path) ? readFileSync(this.path, 'utf8') : ''
      for (const line of text.split('\n')) applyLine(line, runs)
    } catch (error) {
      this.#terminal.say(`The ledger of runs cannot be read: ${messageOf(error)}.`)
    }
    return [...runs.values()]
  }

  findJob(jobId: string): LedgerRun | undefined {
    return this.read().findLast((run) => run.job_id === jobId)
  }

  /** Notes how a job is, if its run was started here and has ended. */
  noteEnd(jobId: string, status: string): void {
    const { run } = this.findJob(jobId) ?? {}
    const end = (['succeeded', 'failed', 'cancelled'] as const).find((one) => one === status)
    if (run !== undefined && end !== undefined) this.append({ type: 'end', run, status: end })
  }
}

function applyLine(line: string, runs: Map<string, LedgerRun>): void {
  const value = tryParseJson(line)
  if (!isRecord(value)) return
  // Only this command writes the file: a line that is whole JSON is an entry.
  const entry = value as unknown as LedgerEntry & { at: string }
  const known = runs.get(entry.run)
  if (entry.type === 'intent') {
    const { run, at, model, base_url, credits } = entry
    runs.set(run, { run, at, model, base_url, credits, status: 'intent' })
  } else if (known !== undefined) {
    const found = entry.type === 'job' ? { job_id: entry.job_id, status: 'running' as const } : { status: entry.status }
    runs.set(known.run, { ...known, ...found })
  }
}
