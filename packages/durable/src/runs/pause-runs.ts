import type { RunsContext } from './runs-context.ts'

const MARK = 'paused'

/** Sends no further run, in all processes. */
export async function pauseRuns({ engine, queues }: RunsContext): Promise<void> {
  await engine.add(queues.paused, MARK, { data: null })
  await engine.pause(queues.submit)
}

/** Ends the pause. */
export async function resumeRuns({ engine, queues }: RunsContext): Promise<void> {
  await engine.remove(queues.paused, MARK)
  await engine.resume(queues.submit)
}

/** Whether the batch is paused by its user. */
export async function isPaused({ engine, queues }: RunsContext): Promise<boolean> {
  return (await engine.get(queues.paused, MARK)) !== undefined
}

/** Pauses the batch for an action. A pause of the user stays. */
export async function whilePaused<Value>(action: () => Promise<Value>, context: RunsContext): Promise<Value> {
  const wasPaused = await isPaused(context)
  await pauseRuns(context)
  const value = await action()
  if (!wasPaused) await resumeRuns(context)
  return value
}
