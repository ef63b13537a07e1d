/** Something is wrong with the command line, or with a file or variable that it needs. The message is for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
