/** How a program can ask for a job without leaving its process, and what that is compared with. */
export const WAYS = [
  'server.fetch',
  'bare hono',
  'msw getResponse',
  'fetch, loopback, bare hono',
  'fetch, msw setupServer',
] as const

export type Way = (typeof WAYS)[number]
