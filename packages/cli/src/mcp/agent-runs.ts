import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '@modelrun/durable'
import { stableJson } from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import { listRuns } from '../batch/list-runs.ts'
import type { Batch } from '../batch/open-batch.ts'
import { hashOf, rowContent } from '../batch/row-keys.ts'
import { RejectedRunError, UnsavedError, UsageError } from '../errors.ts'
import { type SavedOutput, saveOutputs } from '../files/save-files.ts'
import { priceOf, readModel } from '../models/read-model.ts'
import { fileProblems, inputProblems } from '../run/input.ts'
import { priceText } from '../terminal/text.ts'

export interface AskedRun {
  model: string
  input: Record<string, unknown>
  key?: string | undefined
}

export interface PlannedRun {
  key: string
  /** Id of the model as it was asked for: a service may show another one. */
  model: string
  input: Record<string, unknown>
  hash: string
  price: number
  /** Whether it has to be sent: no run of its key was, or it was rejected. */
  isNew: boolean
  /** Key of an earlier run of the same input that may have been charged. */
  lostKey: string | undefined
  isSame(run: Run): boolean
}

/** The states of runs that are not charged. */
export const FREE: readonly Run['state'][] = ['cancelled', 'rejected']
const NEWEST_RUNS = 50
const HASH_LENGTH = 24
const LONGEST_SAVE_MS = 10_000

/** The runs of agents: at most one for each key, over any number of processes. */
export class AgentRuns {
  /** Why nothing is sent: the key, its permissions or its credits do not suffice. */
  pausedBy: string | undefined
  readonly runs: Batch['runs']
  readonly asked = new Map<string, 'open' | 'silent'>()
  readonly #saving = new Map<string, Promise<SavedOutput>>()
  readonly #work: { client: ModelRun; batch: Batch; options: { budget: number; out: string } }

  constructor(work: { client: ModelRun; batch: Batch; options: { budget: number; out: string } }) {
    this.#work = work
    this.runs = work.batch.runs
  }

  /** @throws UsageError when the model or the input is wrong, or the key is that of another run: nothing was sent */
  async plan({ model, input, key: named }: AskedRun): Promise<PlannedRun> {
    const [read] = await Promise.allSettled([readModel(this.#work.client, model)])
    const shown = read.status === 'fulfilled' ? read.value.input_schema : undefined
    const schema = shown ?? { type: 'object', properties: {} }
    const contentOf = (run: Pick<Run, 'model' | 'input'>) => `${run.model}\n${rowContent({ ...run.input }, schema)}`
    const content = contentOf({ model, input })
    const isSame = (run: Run) => contentOf(run) === content
    const hash = hashOf(content, HASH_LENGTH)
    let key = named ?? hash
    let run = await this.runs.get(key)
    if (named === undefined && (run === undefined || !isSame(run))) {
      // A default that the service has changed since gives the same call another hash, and its hash to another call.
      if (run !== undefined) key = hashOf(`${model}\n${stableJson(input)}`, HASH_LENGTH)
      run = (await listRuns(this.#work.batch)).find(isSame)
      key = run?.key ?? key
    }
    if (run !== undefined && !isSame(run)) throw new UsageError(otherRun(key))
    const plan = { key, model, input, hash, price: 0, isNew: false, lostKey: undefined, isSame }
    // A run that was sent is found, also when its model cannot be read any more.
    if (run !== undefined && run.state !== 'rejected') return plan
    if (read.status === 'rejected') throw read.reason
    const problems = [...inputProblems({ schema, parameters: [] }, input), ...fileProblems(schema, input)]
    if (problems.length > 0) throw new UsageError(`Invalid input: ${problems.join(' ')} Nothing was sent.`)
    const lostKey = (await this.runs.unknown()).find(isSame)?.key
    return { ...plan, price: priceOf({ ...read.value, id: model }), isNew: true, lostKey }
  }

  /** Sends a run at its planned price, unless it was sent before. @throws RejectedRunError when the budget does not suffice */
  async send(plan: PlannedRun, signal: AbortSignal): Promise<void> {
    const { key, model, input, price } = plan
    const { batch, options } = this.#work
    // What was rejected or cancelled since its last report, this run too, is taken off the budget first.
    await this.list()
    // Its caller would not see the result, and the user may not have said yes.
    signal.throwIfAborted()
    if (!(await batch.engine.reserve(budgetOfToday(), key, { amount: price, limit: options.budget }))) {
      throw new RejectedRunError(
        `A run of this model costs ${priceText(price)}, and ${await this.budgetLeft()} of ${priceText(options.budget)} are left of the ` +
          'budget of this day. Nothing was sent. Only the user can raise it: --budget.',
      )
    }
    const agreed = { maxCredits: price }
    if ((await this.runs.get(key))?.state === 'rejected') return void (await this.runs.retry(key, agreed))
    await this.runs.add(key, model, input, agreed).catch(async (error: unknown) => {
      // Another host may have added it at the same moment, with another spelling of the input.
      const stored = await this.runs.get(key)
      if (stored === undefined || !plan.isSame(stored)) throw error
    })
  }

  /** What is not charged counts no more in the budget. */
  async settle({ key, state }: Run): Promise<void> {
    if (FREE.includes(state)) await this.#work.batch.engine.release(budgetOfToday(), key)
  }

  async budgetLeft(): Promise<number> {
    const spent = await this.#work.batch.engine.total(budgetOfToday())
    return Math.max(0, this.#work.options.budget - spent)
  }

  /** A run that waits is not sent for more than its last caller agreed to. */
  async limit(key: string, maxCredits = Number.POSITIVE_INFINITY): Promise<void> {
    const run = await this.runs.get(key)
    if (run?.state !== 'waiting' || maxCredits >= (run.maxCredits ?? Number.POSITIVE_INFINITY)) return
    await this.runs.add(key, run.model, run.input, { maxCredits })
  }

  /** The newest runs, those that have not ended last. */
  async list(): Promise<Run[]> {
    const runs = (await listRuns(this.#work.batch)).slice(-NEWEST_RUNS)
    for (const run of runs) await this.settle(run)
    return runs
  }

  async filesOf({ key, model, jobId, output }: Run): Promise<SavedOutput> {
    const { files: known } = this.#work.batch.saved.of(key)
    if (known !== undefined || jobId === undefined || output === undefined) return { files: known ?? [] }
    const save = async () => {
      const plan = { folder: this.#work.options.out, prefix: model }
      const saved = await saveOutputs(this.#work.client, { job_id: jobId, output }, plan)
      if (saved.error === undefined) this.#work.batch.saved.add(key, { files: saved.files })
      return saved
    }
    const saving = this.#saving.get(key) ?? save().finally(() => this.#saving.delete(key))
    this.#saving.set(key, saving)
    // Hosts do not wait for a file host that stalls. The next call finds what was saved meanwhile.
    const late = { files: [], error: new UnsavedError('The files are still being fetched.', jobId, {}) }
    return await Promise.race([saving, sleep(LONGEST_SAVE_MS, late, { ref: false })])
  }
}

function otherRun(key: string): string {
  return `The key ${key} is that of another run, with another model or input. Nothing was sent.`
}

function budgetOfToday(): string {
  return `mcp ${new Date().toISOString().slice(0, 10)}`
}
