import { createRuns, type Engine, type Run, type Runs } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { type ModelRun, ModelRunError } from 'modelrun'
import type { CallContext, Later } from './call-context.ts'
import { KEYS } from './call-single.ts'
import type { Outcome } from './evidence.ts'

const MODEL = 'aurora-image'
/** The process of the batch ends after this time. */
const FIRST_MS = 1_500
/** The process after it has this time, with a service that works. */
const SECOND_MS = 8_000
const ENDED = ['succeeded', 'failed', 'rejected', 'unknown', 'cancelled']

/** `runs.runEach` of a durable batch, ended early where it does not end by itself. */
export async function callBatch(context: CallContext): Promise<Later> {
  const { client, plugged, setting, inputOf, outcomes } = context
  const inner = createSqliteEngine({ path: ':memory:', pollMs: 50, onError: () => {} })
  await inner.setup()
  const engine = plugged.engine?.(inner) ?? inner
  const runs = createRuns({ ...batchOf(engine, client), ...plugged.runs })
  const signal = AbortSignal.any([setting.signal, AbortSignal.timeout(FIRST_MS)])
  try {
    for await (const { run } of runs.runEach(MODEL, itemsOf(inputOf), { signal })) outcomes.push(outcomeOf(run))
  } catch (error) {
    context.loopErrors.push(error)
  }
  return () => finish(context, inner)
}

const itemsOf = (inputOf: CallContext['inputOf']) => KEYS.map((key) => ({ key, input: inputOf(key) }))
const batchOf = (engine: Engine, client: ModelRun) => ({ engine, client, onPause: () => {}, lockMs: 500 })

function outcomeOf({ key, state, jobId, output, error }: Run): Outcome {
  const row = { key, phase: 'row', jobId } as const
  if (output !== undefined) return { ...row, status: 'fulfilled', urls: output.items.map(({ url }) => url) }
  const submission = state === 'unknown' || state === 'rejected' ? state : 'accepted'
  return { ...row, status: 'rejected', reason: new RowError({ message: `${error?.message}`, jobId, submission }) }
}

/** What the judges of errors read of a row that has no result. */
class RowError extends ModelRunError {
  override get name(): 'RowError' {
    return 'RowError'
  }
  override get code(): 'row' {
    return 'row'
  }
}

/** A second process, whose service works, continues the batch; then a person decides on what is unknown. */
async function finish(context: CallContext, engine: Engine): Promise<void> {
  const { plain, cell, rows, unreachable } = context
  const runs = createRuns({ ...batchOf(engine, plain), ...context.plugged.runs })
  await work(context, runs)
  for (const key of KEYS) {
    const row = await runs.get(key)
    if (row === undefined) continue
    rows.push({ key, state: row.state, jobId: row.jobId })
    const job = cell.jobs.find((each) => each.key === key && each.isCharged)
    // A run that waits without a job has lost nothing: what the caller plugged in may still fail.
    const isLeft = row.state === 'waiting' && job === undefined
    if (!ENDED.includes(row.state) && !isLeft && !isPaused(context)) unreachable.push(`${key} is ${row.state}`)
    if (row.state !== 'unknown' || job === undefined) continue
    await runs.resolve(key, { jobId: job.id })
  }
  await work(context, runs)
  for (const { key, state } of rows) {
    const after = await runs.get(key)
    const job = cell.jobs.find((each) => each.key === key && each.isCharged)
    if (state === 'unknown' && job && after?.output?.items[0]?.url !== job.fileUrl) {
      unreachable.push(`${key} is ${after?.state} after its job was named`)
    }
  }
  await engine.close()
}

/** The service has asked for more patience than these tests have, or the batch waits for a person. */
const isPaused = ({ cell }: CallContext): boolean =>
  cell.sent.some(({ status = 0, headers }) => [401, 402, 403].includes(status) || headers?.['retry-after'] === '3600')

async function work({ inputOf }: CallContext, durable: Runs): Promise<void> {
  const isOver = async () => {
    const states = await Promise.all(KEYS.map(async (key) => (await durable.get(key))?.state ?? 'never added'))
    return states.every((state) => ENDED.includes(state))
  }
  if (await isOver()) return
  try {
    for await (const _ of durable.runEach(MODEL, itemsOf(inputOf), { signal: AbortSignal.timeout(SECOND_MS) }));
  } catch {
    // An input that cannot be sent, or the time is over: what is missing is judged by the rows.
  }
}
