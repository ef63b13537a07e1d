/** A person ended the command with Ctrl-C. The message says what goes on, and how to follow it. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
}
