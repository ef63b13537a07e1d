import type { TaskState } from '../engine/engine.ts'
import { keyOf } from './attempts.ts'
import { type Cancellation, cancelRun } from './cancel-runs.ts'
import type { RunsContext } from './runs-context.ts'

/** How many runs a `cancelAll` met, by what it could do. `failed`: the service did not respond; call it again. */
export type Cancellations = Readonly<Record<Exclude<Cancellation, 'missing'> | 'failed', number>>

const PAGE = 100
const AT_ONCE = 10

/** Cancels all runs that have not ended. */
export async function cancelAllRuns(context: RunsContext): Promise<Cancellations> {
  const { queues, onError } = context
  const counts = { cancelled: 0, ended: 0, sending: 0, unknown: 0, failed: 0 }
  const cancel = async (key: string) => {
    const done = await cancelRun(key, context).catch((error) => {
      onError(error)
      return 'failed' as const
    })
    if (done !== 'missing') counts[done] += 1
  }
  const seen = new Set<string>()
  for (const queue of [queues.submit, queues.poll]) {
    // Reads `waiting` twice: a task may change from running to waiting in between.
    for (const state of ['waiting', 'running', 'waiting'] as const) {
      for await (const keys of pagesOf(queue, state, context)) {
        const next = keys.filter((key) => !seen.has(key)).values()
        const cancelNext = async () => {
          for (const key of next) {
            seen.add(key)
            await cancel(key)
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, cancelNext))
      }
    }
  }
  return counts
}

async function* pagesOf(queue: string, state: TaskState, { engine }: RunsContext): AsyncGenerator<string[]> {
  let after: string | undefined
  for (;;) {
    const page = await engine.list(queue, state, { limit: PAGE, after })
    if (page.length === 0) return
    yield page.map(({ id }) => keyOf(id))
    after = page.at(-1)?.cursor
  }
}
