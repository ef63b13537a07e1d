/** A person ended the command with Ctrl-C. The message says what continues, and how to follow it. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
}
