import { readRun } from './read-runs.ts'
import type { Run } from './run-types.ts'
import { asJson, type RunsContext } from './runs-context.ts'

/** A run that needs a decision. */
export interface UnknownRun extends Run {
  /** For `after` of the next list. */
  readonly cursor: string
}

/** Lists the runs whose tasks of `submit`, then of `poll`, are dead. */
export async function listUnknown(
  { limit = 100, after = '' }: { limit?: number | undefined; after?: string | undefined },
  context: RunsContext,
): Promise<UnknownRun[]> {
  const { engine, queues } = context
  const found: UnknownRun[] = []
  for (const name of ['submit', 'poll'] as const) {
    const [, place] = after.split(`${name}:`)
    if (name === 'submit' && after !== '' && place === undefined) continue
    const records = await engine.list(queues[name], 'dead', { limit: limit - found.length, after: place })
    const runs = await Promise.all(
      records.map(async ({ id, cursor }) => {
        const run = await readRun(id, context)
        const isListed = run?.state === 'unknown' && (run.jobId === undefined) === (name === 'submit')
        if (isListed) return [{ ...run, cursor: `${name}:${cursor}` }]
        // The outcome became known after the task was dead: the task ends without sending.
        await engine.replay(queues[name], id)
        return []
      }),
    )
    found.push(...runs.flat())
    if (found.length >= limit) break
  }
  return found
}

/** Decides that an unknown run has this job. */
export async function resolveUnknown(key: string, jobId: string, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const run = await readRun(key, context)
  if (run?.state !== 'unknown') return false
  // The job is known, but the processes that polled it died.
  if (run.jobId !== undefined) return engine.replay(queues.poll, key)
  const data = asJson({ model: run.model, jobId, submittedAt: Date.now(), mayBeUnknown: true })
  await engine.add(queues.poll, key, { data })
  // The task of the submit ends without sending, because the job of the run is known.
  return engine.replay(queues.submit, key)
}

/** Sends an unknown run again. `replay` is atomic: of two calls at the same time, one sends. */
export async function resubmitUnknown(key: string, context: RunsContext): Promise<boolean> {
  const run = await readRun(key, context)
  if (run?.state !== 'unknown' || run.jobId !== undefined) return false
  return context.engine.replay(context.queues.submit, key)
}
