import { readRun } from './read-runs.ts'
import type { Run } from './run-types.ts'
import { asJson, type RunsContext } from './runs-context.ts'

/** A run that needs a decision. */
export interface UnrecognizedRunResponse extends Run {
  /** For `after` of the next list. */
  readonly cursor: string
}

/** Runs whose submit, or whose polls, are dead: those of the submit come first. */
export async function listUnknown(
  { limit = 100, after = '' }: { limit?: number | undefined; after?: string | undefined },
  context: RunsContext,
): Promise<UnrecognizedRunResponse[]> {
  const { engine, queues } = context
  const found: UnrecognizedRunResponse[] = []
  for (const name of ['submit', 'follow'] as const) {
    const [, place] = after.split(`${name}:`)
    if (name === 'submit' && after !== '' && place === undefined) continue
    const records = await engine.list(queues[name], 'dead', { limit: limit - found.length, after: place })
    const runs = await Promise.all(
      records.map(async ({ id, cursor }) => {
        const run = await readRun(id, context)
        const isListed = run?.state === 'unknown' && (run.jobId === undefined) === (name === 'submit')
        if (isListed) return [{ ...run, cursor: `${name}:${cursor}` }]
        // It became known after it was dead: it ends without sending.
        await engine.replay(queues[name], id)
        return []
      }),
    )
    found.push(...runs.flat())
    if (found.length >= limit) break
  }
  return found
}

/** Decides that an unknown run is this job. */
export async function resolveUnknown(key: string, jobId: string, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const run = await readRun(key, context)
  if (run?.state !== 'unknown') return false
  // Its job is known, but each process that polled it died.
  if (run.jobId !== undefined) return engine.replay(queues.follow, key)
  const data = asJson({ model: run.model, jobId, submittedAt: Date.now(), mayBeUnknown: true })
  await engine.add(queues.follow, key, { data })
  // The submit ends now without sending: it finds that the run is followed.
  return engine.replay(queues.submit, key)
}

/** Sends an unknown run again. One step of the engine: of two calls at the same moment, one sends. */
export async function resubmitUnknown(key: string, context: RunsContext): Promise<boolean> {
  const run = await readRun(key, context)
  if (run?.state !== 'unknown' || run.jobId !== undefined) return false
  return context.engine.replay(context.queues.submit, key)
}
