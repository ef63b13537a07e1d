import { createSqliteEngine } from '@modelrun/durable/sqlite'
import {
  type InboxEngine,
  type Json,
  NonRetriableError,
  RetryAfterError,
  type Task,
  type TaskHandler,
  type WorkOptions,
} from 'modelrun/webhooks'

/** How the guide names the states of a job, by queue and state of its task. */
const NAMES: Record<string, string> = {
  'inbox:results waiting': 'waiting',
  'inbox:results running': 'running',
  'inbox:results done': 'done',
  'inbox:results dead': 'dead',
  'inbox:expected waiting': 'expected',
  'inbox:overdue waiting': 'overdue',
  'inbox:overdue dead': 'lost',
  'inbox:unverified waiting': 'unverified',
  'inbox:unverified done': '[*]',
}

/** The job that a task of a queue is about. */
const jobOf = (queue: string, { id, data }: { id: string; data: Json }): string =>
  queue === 'inbox:unverified' ? Object(data).event.job_id : id

/** Notes how the states of jobs change. */
class Recorder {
  readonly arrows = new Set<string>()
  readonly #states = new Map<string, string>()

  stateOf(jobId: string): string {
    return this.#states.get(jobId) ?? '[*]'
  }

  note(jobId: string, queue: string, state: string): void {
    const name = NAMES[`${queue} ${state}`]
    const before = this.stateOf(jobId)
    // A job is in the queue that it came to last: what is left of it in another one changes nothing.
    const hasLeft = queue === 'inbox:unverified' && state === 'done' && before !== 'unverified'
    if (name === undefined || hasLeft) return
    this.arrows.add(`${before} --> ${name}`)
    this.#states.set(jobId, name)
  }

  removed(jobId: string, queue: string, state: string | undefined): void {
    const before = this.#states.get(jobId)
    if (before === undefined || before !== NAMES[`${queue} ${state}`]) return
    this.arrows.add(`${before} --> [*]`)
    this.#states.delete(jobId)
  }

  /** A handler whose start and end are noted. */
  noted(queue: string, handler: TaskHandler, { attempts = 8 }: WorkOptions): TaskHandler {
    return async (task: Task) => {
      const jobId = jobOf(queue, task)
      if (queue === 'inbox:results') this.note(jobId, queue, 'running')
      try {
        const result = await handler(task)
        this.note(jobId, queue, 'done')
        return result
      } catch (error) {
        const isDead =
          error instanceof NonRetriableError || (!(error instanceof RetryAfterError) && task.attempt >= attempts)
        if (isDead || queue !== 'inbox:unverified') this.note(jobId, queue, isDead ? 'dead' : 'waiting')
        throw error
      }
    }
  }
}

/** An engine that notes each step of each job of an inbox. */
export function createRecordingEngine(): { engine: InboxEngine; recorder: Recorder } {
  const engine = createSqliteEngine({ path: ':memory:', pollMs: 10 })
  const recorder = new Recorder()
  const recording: InboxEngine = {
    ...engine,
    add: async (queue, id, options) => {
      const isNew = (await engine.get(queue, id)) === undefined
      if (isNew) recorder.note(jobOf(queue, { id, data: options.data }), queue, 'waiting')
      await engine.add(queue, id, options)
    },
    work: (queue, handler, options = {}) => engine.work(queue, recorder.noted(queue, handler, options), options),
    replay: async (queue, id) => {
      const isReplayed = await engine.replay(queue, id)
      if (isReplayed) recorder.note(id, queue, 'waiting')
      return isReplayed
    },
    remove: async (queue, id) => {
      const state = (await engine.get(queue, id))?.state
      const isRemoved = await engine.remove(queue, id)
      if (isRemoved) recorder.removed(id, queue, state)
      return isRemoved
    },
  }
  return { engine: recording, recorder }
}
