/** What a visitor can make the service do, and what it is called. */
export const SWITCHES = {
  reset: 'Lose the response of a run, after the charge',
  'rate-limit': 'Respond with 429, twice',
  slow: 'Respond to polls after 5 s',
  'lost-delivery': 'Lose each delivery',
  'two-deliveries': 'Deliver each result twice',
} as const

export type Switch = keyof typeof SWITCHES
