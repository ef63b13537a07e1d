/** What an inbox is doing, for `drain`. */
export interface Tasks {
  /** Work that `whenIdle` waits for. It must not reject. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is tracked any more, also nothing that began meanwhile. */
  whenIdle(): Promise<void>
}

export function createTasks(): Tasks {
  const running = new Set<Promise<unknown>>()
  return {
    track: (work) => {
      running.add(work)
      const done = () => running.delete(work)
      work.then(done, done)
      return work
    },
    whenIdle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
