/** A test failed in one order of events. `cause` is what it rejected with. */
export class ExplorationError extends Error {
  override readonly name = 'ExplorationError'
  /** How many orders had been tried, this one included. */
  readonly run: number
  /** Replays the order: `explore(test, { seed })`. Empty when the test fails before the first step, so in every order. */
  readonly seed: string
  /** What happened, in words. */
  readonly order: string

  constructor(cause: unknown, { run, seed, order }: { run: number; seed: string; order: string }) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const where =
      seed === ''
        ? 'The test fails before its first step, so in every order.'
        : `The test fails in this order (the ${run}. that was tried): ${order}.\n` +
          `Replay it with explore(test, { seed: '${seed}' }).`
    super(`${where}\n${reason}`, { cause })
    this.run = run
    this.seed = seed
    this.order = order
  }
}
