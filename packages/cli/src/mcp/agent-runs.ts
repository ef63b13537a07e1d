import { createHash } from 'node:crypto'
import type { Run } from '@modelrun/durable'
import type { ModelRun } from 'modelrun'
import type { Batch } from '../batch/open-batch.ts'
import { rowContent } from '../batch/row-keys.ts'
import { RejectedRunError, UsageError } from '../errors.ts'
import { saveOutputs } from '../files/save-files.ts'
import { readModel } from '../models/read-model.ts'
import { DEFAULT_TEMPLATE } from '../options.ts'
import { priceText } from '../terminal/text.ts'

/** A run as an agent asks for it. */
export interface AskedRun {
  model: string
  input: Record<string, unknown>
  key?: string | undefined
}

/** What an asked run would be. */
export type PlannedRun = Awaited<ReturnType<AgentRuns['plan']>>

/** The runs of agents: at most one for each key, over any number of processes. */
export class AgentRuns {
  /** Why nothing is sent: the key, its permissions or its credits do not suffice. */
  pausedBy: string | undefined
  readonly runs: Batch['runs']
  readonly #work: { client: ModelRun; batch: Batch; options: { budget: number; out: string } }

  constructor(work: { client: ModelRun; batch: Batch; options: { budget: number; out: string } }) {
    this.#work = work
    this.runs = work.batch.runs
  }

  /**
   * Whether an asked run has to be sent: no run of its key was, or it was rejected. With the key of an earlier run of the same
   * input that may have been charged.
   *
   * @throws UsageError when the model or the input is wrong, or the key is that of another run: nothing was sent
   */
  async plan({ model: id, input, key: given }: AskedRun) {
    const { findInputIssues } = await import('modelrun/models')
    const model = await readModel(this.#work.client, id)
    const schema = model.input_schema ?? { type: 'object', properties: {} }
    const contentOf = (run: Pick<Run, 'model' | 'input'>) => `${run.model}\n${rowContent({ ...run.input }, schema)}`
    const content = contentOf({ model: id, input })
    const key = given ?? createHash('sha256').update(content).digest('hex').slice(0, 24)
    const run = await this.runs.get(key)
    if (run !== undefined && contentOf(run) !== content) {
      throw new UsageError(`The key ${key} is that of another run, with another model or input. Nothing was sent.`)
    }
    const isNew = run === undefined || run.state === 'rejected'
    const issues = isNew ? findInputIssues(schema, input).map(({ pointer, message }) => `${pointer}: ${message}`) : []
    if (issues.length > 0) throw new UsageError(`The input does not fit. Nothing was sent. ${issues.join('; ')}.`)
    const unknown = isNew ? await this.runs.unknown() : []
    return { key, model, input, isNew, lostKey: unknown.find((other) => contentOf(other) === content)?.key }
  }

  /** Sends a run, unless it was sent before. @throws RejectedRunError when the budget of the day does not suffice */
  async send({ key, model, input }: PlannedRun): Promise<void> {
    const { budget } = this.#work.options
    const amount = model.pricing.credits_per_run
    if (!(await this.#work.batch.engine.reserve(budgetOfToday(), key, { amount, limit: budget }))) {
      throw new RejectedRunError(
        `A run of ${model.id} costs ${priceText(amount)}, and the budget of this day, ${priceText(budget)}, does not suffice. ` +
          'Nothing was sent. Only the user can raise it: --budget.',
      )
    }
    if ((await this.runs.get(key))?.state === 'rejected') await this.runs.retry(key)
    else await this.runs.add(key, model.id, input)
  }

  /** What is not charged counts no more in the budget. */
  async settle({ key, state }: Run): Promise<void> {
    if (state !== 'waiting') this.pausedBy = undefined
    const isFree = state === 'cancelled' || state === 'rejected'
    if (isFree) await this.#work.batch.engine.release(budgetOfToday(), key)
  }

  /** The files of a run, saved once. @throws What saving throws */
  async filesOf({ key, model, jobId, output }: Run): Promise<readonly string[]> {
    if (jobId === undefined || output === undefined) return []
    const known = this.#work.batch.saved.filesOf(key)
    if (known !== undefined) return known
    const plan = { folder: this.#work.options.out, template: DEFAULT_TEMPLATE, values: { model, job_id: jobId } }
    const files = await saveOutputs(this.#work.client, { job_id: jobId, output }, plan)
    this.#work.batch.saved.add(key, files)
    return files
  }
}

function budgetOfToday(): string {
  return `mcp ${new Date().toISOString().slice(0, 10)}`
}
