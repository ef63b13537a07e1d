import type { RouteName } from '@modelrun/contract'
import type { ReferenceServer } from '@modelrun/reference-server'
import { hasCode, hasWebhook, type IsWanted, isAsync, isCompleted, isHeld, isSuccess, jobOf } from './edits.ts'
import { after, isFor, type Mutants, type Mutation } from './mutation.ts'

const isMain: IsWanted = (_, { url }) => url.pathname.includes('every-rule')
const isFailing: IsWanted = (_, { url }) => url.pathname.includes('always-fails')
const all =
  (...some: IsWanted[]): IsWanted =>
  (response, request) =>
    some.every((one) => one(response, request))
const asynchronous: IsWanted = (_, request) => isAsync(request)
const withWebhook: IsWanted = (_, request) => hasWebhook(request)

interface Charging {
  /** Default: those that are accepted. */
  isWanted?: IsWanted
  laterMs?: number
}

/** Charges so many credits more than the server for some requests, at once or so much later. */
function charges(route: RouteName, credits: number, { isWanted = isSuccess, laterMs = 0 }: Charging = {}): Mutation {
  const extra = new WeakMap<ReferenceServer, number>()
  return {
    ...after((response, request, { server }) => {
      if (!isFor(request, route) || !isWanted(response, request)) return
      const charge = () => void extra.set(server, (extra.get(server) ?? 0) + credits)
      if (laterMs > 0) server.clock.setTimeout(charge, laterMs)
      else charge()
    }),
    options: ({ server }) => ({ readCredits: async () => server.credits() - (extra.get(server) ?? 0) }),
  }
}
const chargesRuns = (credits: number, isWanted: IsWanted) =>
  charges('runModel', credits, { isWanted: all(isSuccess, isWanted) })

/** Charges for a cancel that finds its job like this. */
function ofCancel(credits: number, word: string): Mutation {
  let status: string | undefined
  const { wrap, ...charging } = charges('cancelJob', credits, {
    isWanted: (response) => status === word && isSuccess(response),
  })
  return {
    ...charging,
    wrap: (send, server, keys) => {
      const charged = wrap?.(send, server, keys) ?? send
      return (request) => {
        if (isFor(request, 'cancelJob') && jobOf(request).startsWith('job_')) status = server.job(jobOf(request)).status
        return charged(request)
      }
    },
  }
}

/** What is charged for runs of every kind. */
export const CHARGE_MUTANTS: Mutants = {
  'charges/every-run': {
    'charges asynchronous runs twice': chargesRuns(4, all(isMain, asynchronous)),
    'charges nothing for asynchronous runs': chargesRuns(-4, all(isMain, asynchronous)),
    'charges synchronous runs one credit more': chargesRuns(1, isCompleted),
    'charges nothing for synchronous runs': chargesRuns(-4, isCompleted),
    'charges runs with webhook_url twice': chargesRuns(4, all(isMain, withWebhook)),
    'charges nothing for runs with webhook_url': chargesRuns(-4, all(isMain, withWebhook)),
    'charges failed jobs with webhook_url only': chargesRuns(4, all(isFailing, withWebhook)),
    'charges held runs twice': chargesRuns(60, isHeld),
    'charges nothing for held runs': chargesRuns(-60, isHeld),
    'charges for reading a job': charges('getJob', 1),
    'charges for reading the list': charges('listModels', 1),
    'charges a queued job that is cancelled': ofCancel(60, 'queued'),
    'charges a processing job that is cancelled': ofCancel(60, 'processing'),
    'charges half of a processing job that is cancelled': ofCancel(30, 'processing'),
    'charges a cancelled job when it would have ended': charges('cancelJob', 60, { laterMs: 75_000 }),
    'charges each job once it is cancelled again': charges('cancelJob', 60, { isWanted: hasCode(409) }),
  },
}
