import { attemptId } from './attempts.ts'
import { type Attempt, latestAttempt } from './read-runs.ts'
import { isEnded, type Outcome } from './run-types.ts'
import { asJson, fromJson, type RunsContext } from './runs-context.ts'

/** Sends a run that has ended without a result once more, as a new attempt. Of several calls at the same time, all mean the same one. */
export async function retryRun(key: string, context: RunsContext): Promise<boolean> {
  const latest = await latestAttempt(key, context)
  if (latest === undefined || !isEnded(latest.run) || latest.run.state === 'succeeded') return false
  await addAttempt(latest, context)
  return true
}

/** Adds the next attempt of a run. */
export async function addAttempt({ attempt, run }: Attempt, { engine, queues, metric }: RunsContext): Promise<void> {
  const { key, model, input } = run
  const id = attemptId(key, attempt + 1)
  // First the mark: a call that dies in between is repeated, and then all is counted.
  await engine.add(queues.retried, id, { data: null })
  await engine.add(queues.submit, id, { data: asJson({ model, input }) })
  metric('retried', { id })
}

/** Lets a run try again that was rejected for the budget, once for each `maxCredits` that is higher than the one before. */
export async function retryForBudget(key: string, context: RunsContext): Promise<void> {
  const latest = await latestAttempt(key, context)
  if (latest?.run.error?.code !== 'BUDGET_EXCEEDED') return
  const stored = await context.engine.get(context.queues.outcomes, latest.id)
  const outcome = stored === undefined ? undefined : fromJson<Outcome>(stored.data)
  if (outcome?.state !== 'rejected' || outcome.maxCredits === undefined) return
  if (outcome.maxCredits < (context.maxCredits ?? Number.POSITIVE_INFINITY)) await addAttempt(latest, context)
}
