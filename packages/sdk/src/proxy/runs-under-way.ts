interface AskedRun {
  /** What makes it the same run: user, model and input. */
  key: string
  /** True when the page has gone away before it got the response. */
  hasLeft(): boolean
}

/**
 * Browsers send a request again by themselves when a kept connection breaks before a response: Chromium does so with a
 * POST as well. A page that is loaded again often asks for the same. Neither is to be paid twice while the first run is
 * under way in this process; the same request of two pages that both wait is two runs.
 */
export function createRunsUnderWay() {
  const runs = new Set<{ run: AskedRun; responding: Promise<Response> }>()
  return {
    /** Sends the run; or joins the same one, when that has lost its page. */
    join: async (run: AskedRun, send: () => Promise<Response>): Promise<Response> => {
      const lost = [...runs].find((one) => one.run.key === run.key && one.run.hasLeft())
      const entry = lost ?? { run, responding: send() }
      entry.run = run
      runs.add(entry)
      try {
        // A copy, since each of them reads the body.
        return (await entry.responding).clone()
      } finally {
        runs.delete(entry)
      }
    },
  }
}
