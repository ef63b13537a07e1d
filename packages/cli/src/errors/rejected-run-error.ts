/** The command rejected a run before it was sent: it costs more than was allowed. */
export class RejectedRunError extends Error {
  override readonly name = 'RejectedRunError'
}
