import { createSqliteEngine } from '@modelrun/durable/sqlite'
import {
  type InboxEngine,
  type Json,
  NonRetriableError,
  RetryAfterError,
  type Task,
  type TaskHandler,
  type TaskState,
  type WorkOptions,
} from '@modelrun/kit'

/** The queue that has one task for each job. */
const JOBS = 'inbox:results'

/** How the guide names the state of a job whose task is in a state. */
function nameOf(state: TaskState, data: Json): string {
  const hasEvent = Object(data).event !== undefined
  if (state === 'waiting') return hasEvent ? 'due' : 'expected'
  return state === 'dead' && !hasEvent ? 'lost' : state
}

/** Notes how the states of jobs change. */
class Recorder {
  readonly arrows = new Set<string>()
  readonly #states = new Map<string, string>()

  stateOf(jobId: string): string {
    return this.#states.get(jobId) ?? '[*]'
  }

  note(jobId: string, name: string): void {
    const before = this.stateOf(jobId)
    if (before !== name) this.arrows.add(`${before} --> ${name}`)
    this.#states.set(jobId, name)
  }

  removed(jobId: string): void {
    this.arrows.add(`${this.stateOf(jobId)} --> [*]`)
    this.#states.delete(jobId)
  }
}

/** An engine that notes each step of each job of an inbox. */
export function createRecordingEngine(): { engine: InboxEngine; recorder: Recorder } {
  const engine = createSqliteEngine({ path: ':memory:', pollMs: 10 })
  const recorder = new Recorder()
  /** A handler whose start and end are noted. */
  const noted =
    (handler: TaskHandler, { attempts = 8 }: WorkOptions): TaskHandler =>
    async (task: Task) => {
      recorder.note(task.id, 'running')
      try {
        const result = await handler(task)
        recorder.note(task.id, 'done')
        return result
      } catch (error) {
        const isDead =
          error instanceof NonRetriableError || (!(error instanceof RetryAfterError) && task.attempt >= attempts)
        const data = (await engine.get(JOBS, task.id))?.data ?? null
        recorder.note(task.id, nameOf(isDead ? 'dead' : 'waiting', data))
        throw error
      }
    }
  const recording: InboxEngine = {
    ...engine,
    add: async (queue, id, options) => {
      const isNew = (await engine.get(queue, id)) === undefined
      if (isNew && queue === JOBS) recorder.note(id, nameOf('waiting', options.data))
      await engine.add(queue, id, options)
    },
    update: async (queue, id, data) => {
      const state = (await engine.get(queue, id))?.state
      if (queue === JOBS && state === 'waiting') recorder.note(id, nameOf(state, data))
      return await engine.update(queue, id, data)
    },
    work: (queue, handler, options = {}) =>
      engine.work(queue, queue === JOBS ? noted(handler, options) : handler, options),
    replay: async (queue, id) => {
      let task = await engine.get(queue, id)
      // An end is noted before the engine stores it.
      while (task?.state === 'running') {
        await new Promise((resolve) => setImmediate(resolve))
        task = await engine.get(queue, id)
      }
      // Before the change: a worker may take it at once.
      if (task?.state === 'dead') recorder.note(id, nameOf('waiting', task.data))
      return await engine.replay(queue, id)
    },
    remove: async (queue, id) => {
      const isRemoved = await engine.remove(queue, id)
      if (isRemoved && queue === JOBS) recorder.removed(id)
      return isRemoved
    },
  }
  return { engine: recording, recorder }
}
