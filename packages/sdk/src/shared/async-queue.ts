/** Passes values from their producers to the one loop that takes them. */
export function createAsyncQueue<T>() {
  const values: T[] = []
  let failure: { error: unknown } | undefined
  let wake = () => {}
  return {
    push: (value: T) => {
      values.push(value)
      wake()
    },
    /** Ends the queue: `next` rejects once the values are taken. */
    fail: (error: unknown) => {
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
