import { type JobJson, ModelRun, ModelRunError, type RunResult } from 'modelrun'

// Each step takes and returns JSON, and stores nothing in memory: it can be a serverless function, or a step of a durable workflow
// engine, in any process. API key and base URL come from the environment.

/** A run to start. */
export interface RunJson {
  model: string
  input: Record<string, unknown>
}

/** Starts the run. This is the step that costs credits: see {@link mayRepeat}. */
export async function start({ model, input }: RunJson): Promise<JobJson> {
  const job = await new ModelRun().submit(model, input)
  return job.toJSON()
}

/** Polls the job once. A workflow repeats this step, with a sleep in between, until `isOver`. */
export async function status(job: JobJson): Promise<{ status: string; isOver: boolean }> {
  const { status } = await new ModelRun().jobs.attach(job).get()
  return { status, isOver: ['succeeded', 'failed', 'cancelled'].includes(status) }
}

/** Waits for the result, but no longer than a function may run. Repeat it after a `DeadlineExceededError`. */
export async function result(job: JobJson): Promise<RunResult> {
  return await new ModelRun().jobs.attach(job).result({ deadlineMs: 25_000 })
}

/**
 * Whether an engine may repeat a step that failed. A run that may have arrived is never started again: that would be
 * charged twice. Polls and waits can be repeated at any time.
 */
export function mayRepeat(step: 'start' | 'status' | 'result', error: unknown): boolean {
  if (!(error instanceof ModelRunError)) return false
  if (step === 'start') return error.isRetryable && ['not_sent', 'rejected'].includes(error.submission)
  return error.isRetryable || error.code === 'deadline_exceeded'
}
