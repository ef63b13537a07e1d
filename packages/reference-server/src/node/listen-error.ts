/** The port cannot be bound. The message says why and what to do; `cause` is the system's error. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}
