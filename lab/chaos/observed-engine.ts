import type { InboxEngine, Task } from '@modelrun/kit'
import { type Journal, monotonicMs } from './journal.ts'
import { sabotageOf } from './sabotage.ts'
import { INBOX_NAME, LOCK_MS } from './settings.ts'

const RESULTS = `${INBOX_NAME}:results`

/** An engine that notes who has which job, and until when. */
export interface ObservedEngine extends InboxEngine {
  /** Whether the lock of a run is over by now. */
  isLate(job: string, fence: number): boolean
}

export function observeEngine(engine: InboxEngine, journal: Journal, isSabotaged: boolean): ObservedEngine {
  const tasks = new Map<string, Task>()
  const noteLock = (what: 'locked' | 'renewed', task: Task) => {
    const extraMs = isSabotaged && sabotageOf(task.id) === 'long locks' ? 20 * LOCK_MS : 0
    const untilMs = monotonicMs() + task.msLeft() + extraMs
    journal.write({ what, job: task.id, fence: task.fence, untilMs })
  }
  return {
    ...engine,
    work: (queue, handler, options) => {
      if (queue !== RESULTS) return engine.work(queue, handler, options)
      const observed = async (task: Task) => {
        const key = `${task.id} ${task.fence}`
        tasks.set(key, task)
        noteLock('locked', task)
        const timer = setInterval(() => task.msLeft() > 0 && noteLock('renewed', task), LOCK_MS / 6)
        let hasEnded = false
        const end = (how: 'done' | 'failed' | 'aborted') => {
          if (hasEnded) return
          hasEnded = true
          clearInterval(timer)
          journal.write({ what: 'ended', how, job: task.id, fence: task.fence })
        }
        // A handler that hangs loses its task before it ends.
        task.signal.addEventListener('abort', () => end('aborted'), { once: true })
        try {
          const result = await handler(task)
          end('done')
          return result
        } catch (error) {
          end('failed')
          throw error
        } finally {
          tasks.delete(key)
        }
      }
      return engine.work(queue, observed, options)
    },
    isLate: (job, fence) => tasks.get(`${job} ${fence}`)?.msLeft() === 0,
  }
}
