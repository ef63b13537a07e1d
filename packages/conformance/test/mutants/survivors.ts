/** What no check notices, and why. A test fails when one of them is noticed after all. */
export const SURVIVORS: ReadonlyMap<string, string> = new Map([
  [
    'retries after a minute',
    'The suite waits for a second attempt for 30 seconds (limits.quietMs), not longer: each run with a webhook waits.',
  ],
])
