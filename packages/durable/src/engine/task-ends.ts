/** Thrown by a handler: the task is not ready. It runs again later, and the attempt does not count. */
export class Again extends Error {
  override readonly name: string = 'Again'
  /** Milliseconds until it runs again. */
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`Again in ${delayMs} ms.`)
    this.delayMs = delayMs
  }
}

/** Thrown by a handler: no task of the queue can succeed now, on no process. All wait; the attempt does not count. */
export class PauseQueue extends Again {
  override readonly name = 'PauseQueue'
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
}
