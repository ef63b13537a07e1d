/** What an error is for the engine. Registered: the ES modules and the CommonJS files have classes of their own. */
const TASK_END: unique symbol = /* @__PURE__ */ Symbol.for('modelrun.task-end')

/** Thrown by a handler: the task is not ready. It runs again later, and the attempt does not count. */
export class Again extends Error {
  override readonly name: string = 'Again'
  /** Milliseconds until it runs again. */
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`Again in ${delayMs} ms.`)
    this.delayMs = delayMs
  }

  /** @internal */
  get [TASK_END](): 'again' | 'pause' {
    return 'again'
  }
}

/** Thrown by a handler: no task of the queue can succeed now, on no process. All wait; the attempt does not count. */
export class PauseQueue extends Again {
  override readonly name = 'PauseQueue'

  /** @internal */
  override get [TASK_END](): 'again' | 'pause' {
    return 'pause'
  }
}

/** Thrown by a handler: no further attempt can succeed. The task is dead. */
export class Permanent extends Error {
  override readonly name = 'Permanent'
  /** Kept with the dead task, for programs. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** @internal */
  get [TASK_END](): 'permanent' {
    return 'permanent'
  }
}

/** How a handler that threw wants its task to end; `undefined` for what is not an error of ours. */
export function taskEndOf(error: unknown): 'again' | 'pause' | 'permanent' | undefined {
  return Object(error)[TASK_END]
}
