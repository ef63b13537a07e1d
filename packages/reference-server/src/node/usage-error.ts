/** Something is wrong with the command line, or with a file that it names; the message is one line for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
