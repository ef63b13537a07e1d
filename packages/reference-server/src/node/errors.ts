/** Something is wrong with the command line, or with a file that it names; the message is one line for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The port cannot be bound. The message says why and what to do; `cause` is the system's error. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}
