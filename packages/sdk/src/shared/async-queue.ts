/** Passes values from their producers to the one loop that takes them. */
export interface AsyncQueue<T> {
  push(value: T): void
  /** Ends the queue: `next` rejects once the values are taken. */
  fail(error: unknown): void
  next(): Promise<T>
}

export function createAsyncQueue<T>(): AsyncQueue<T> {
  const values: T[] = []
  let failure: { error: unknown } | undefined
  let wake = () => {}
  return {
    push: (value) => {
      values.push(value)
      wake()
    },
    fail: (error) => {
      failure ??= { error }
      wake()
    },
    next: async () => {
      if (values.length === 0 && !failure) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (values.length === 0 && failure) throw failure.error
      // Only `push` leads here, so there is a value.
      return values.shift() as T
    },
  }
}
