/** How a promise ended, in one or two words: `AbortedError`, or the value it resolved to. */
export interface Settled {
  how: string
  /** `performance.now()` when it settled. */
  at: number
}

/** Waits for a promise, but not for ever: undefined when it has not settled after `limitMs`. */
export async function settle(promise: Promise<unknown>, limitMs: number): Promise<Settled | undefined> {
  const settled = promise.then(
    (value): Settled => ({ how: `resolves: ${describeValue(value)}`, at: performance.now() }),
    (error: unknown): Settled => ({ how: describeError(error), at: performance.now() }),
  )
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined)
  })
  return await Promise.race([settled, limit]).finally(() => clearTimeout(timer))
}

function describeValue(value: unknown): string {
  return value !== null && typeof value === 'object' ? 'an object' : String(value)
}

/** The class rather than `name`: several clients leave that at `Error`. */
function describeError(error: unknown): string {
  return error instanceof Error ? error.constructor.name : `throws ${String(error)}`
}
