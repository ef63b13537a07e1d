import { PauseQueue } from 'modelrun/webhooks'
import type { RunsContext } from './runs-context.ts'

/** Wait for a place, of all processes. */
const FULL_DELAY_MS = 300

/** Takes one of `maxRunning` places for a run that is about to be sent. @throws PauseQueue when all are taken */
export async function takePlace(id: string, { engine, queues, maxRunning }: RunsContext): Promise<void> {
  if (maxRunning === undefined) return
  if (!(await engine.reserve(queues.places, id, { amount: 1, limit: maxRunning }))) throw new PauseQueue(FULL_DELAY_MS)
}

/** Frees the place of a run that has ended, was not sent, or is unknown. A repeated call changes nothing. */
export async function freePlace(id: string, { engine, queues, maxRunning }: RunsContext): Promise<void> {
  if (maxRunning !== undefined) await engine.release(queues.places, id)
}
