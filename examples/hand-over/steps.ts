import { isModelRunError, type JobJson, ModelRun, type RunOutcome } from 'modelrun'

// Each step takes JSON and gives JSON, and keeps nothing in memory: it fits a serverless function or a step of a durable
// workflow engine, whichever process it runs in. Key and address come from the environment.

/** What is to be run. */
export interface RunJson {
  model: string
  input: Record<string, unknown>
}

/** Starts the run. This is the step that costs credits: see {@link mayRepeat}. */
export async function start({ model, input }: RunJson): Promise<JobJson> {
  const job = await new ModelRun().submit(model, input)
  return job.toJSON()
}

/** Looks at the job once. A workflow that sleeps between its steps asks this until `isOver`. */
export async function status(job: JobJson): Promise<{ status: string; isOver: boolean }> {
  const { status } = await new ModelRun().jobs.attach(job).get()
  return { status, isOver: ['succeeded', 'failed', 'cancelled'].includes(status) }
}

/** Waits for the result, but no longer than a function may run; repeat it when it throws `DeadlineExceededError`. */
export async function result(job: JobJson): Promise<RunOutcome> {
  return await new ModelRun().jobs.attach(job).result({ deadlineMs: 25_000 })
}

/**
 * Whether an engine may repeat a step that failed. A run that may have arrived is never started again: that would be
 * charged twice. Looking and waiting can be repeated as often as it takes.
 */
export function mayRepeat(step: 'start' | 'status' | 'result', error: unknown): boolean {
  if (!isModelRunError(error)) return false
  if (step === 'start') return error.isRetryable && ['not_sent', 'rejected'].includes(error.submission)
  return error.isRetryable || error.code === 'deadline_exceeded'
}
