import type { ReferenceServer } from '@modelrun/reference-server'
import { at } from '../../packages/conformance/src/json.ts'
import { hasWebhook, isHeld, jobOf } from './edits.ts'
import { isFor, type Mutation, mutants, type WireRequest, type WireResponse } from './mutation.ts'

const PRICE = '2.1: credits_per_run is what is charged per run'
const CANCELLED = '4.5: credits are not charged for a cancelled job'

type Charge = (request: WireRequest, response: WireResponse, server: ReferenceServer) => number

/** Charges more than the server does, or less: at once, or so much later. */
function charges(more: Charge, laterMs = 0): Mutation {
  const extra = new WeakMap<ReferenceServer, number>()
  return {
    wrap: (send, server) => async (request) => {
      const response = await send(request)
      const credits = more(request, response, server)
      const charge = () => void extra.set(server, (extra.get(server) ?? 0) + credits)
      if (credits !== 0 && laterMs > 0) server.clock.setTimeout(charge, laterMs)
      else charge()
      return response
    },
    options: ({ server }) => ({ readCredits: async () => server.credits() - (extra.get(server) ?? 0) }),
  }
}

const ofRun =
  (isWanted: (request: WireRequest, response: WireResponse) => boolean, credits: number): Charge =>
  (request, response) =>
    isFor(request, 'runModel') && response.status < 300 && isWanted(request, response) ? credits : 0

const isAsync = ({ body }: WireRequest) => at(body, '/sync') === false
const isMain = ({ url }: WireRequest) => url.pathname.includes('every-rule')
const statusOf = (request: WireRequest, server: ReferenceServer) =>
  jobOf(request).startsWith('job_') ? server.job(jobOf(request)).status : undefined

/** Charges for a cancel that finds its job like this. */
function ofCancel(credits: number, word: string): Mutation {
  let status: string | undefined
  const charging = charges((request, response) =>
    isFor(request, 'cancelJob') && status === word && response.status < 300 ? credits : 0,
  )
  return {
    ...charging,
    wrap: (send, server, keys) => {
      const charged = charging.wrap?.(send, server, keys) ?? send
      return (request) => {
        if (isFor(request, 'cancelJob')) status = statusOf(request, server)
        return charged(request)
      }
    },
  }
}

/** What is charged for runs of every kind. */
export const CHARGE_MUTANTS = mutants([
  [
    PRICE,
    'charges asynchronous runs twice',
    charges(ofRun((request) => isAsync(request) && isMain(request), 4)),
    'charges/every-run',
  ],
  [
    PRICE,
    'charges nothing for asynchronous runs',
    charges(ofRun((request) => isAsync(request) && isMain(request), -4)),
  ],
  [
    PRICE,
    'charges synchronous runs one credit more',
    charges(ofRun((_, response) => at(response.json, '/status') === 'completed', 1)),
  ],
  [
    PRICE,
    'charges nothing for synchronous runs',
    charges(ofRun((_, response) => at(response.json, '/status') === 'completed', -4)),
  ],
  [
    PRICE,
    'charges runs with webhook_url twice',
    charges(ofRun((request) => hasWebhook(request) && isMain(request), 4)),
  ],
  [
    PRICE,
    'charges nothing for runs with webhook_url',
    charges(ofRun((request) => hasWebhook(request) && isMain(request), -4)),
    'charges/every-run',
  ],
  [
    PRICE,
    'charges held runs twice',
    charges(ofRun((request, response) => isHeld(response, request), 60)),
    'charges/every-run',
  ],
  [PRICE, 'charges nothing for held runs', charges(ofRun((request, response) => isHeld(response, request), -60))],
  [PRICE, 'charges for reading a job', charges((request) => (isFor(request, 'getJob') ? 1 : 0))],
  [PRICE, 'charges for reading the list', charges((request) => (isFor(request, 'listModels') ? 1 : 0))],
  [CANCELLED, 'charges a queued job that is cancelled', ofCancel(60, 'queued')],
  [CANCELLED, 'charges a processing job that is cancelled', ofCancel(60, 'processing'), 'charges/every-run'],
  [CANCELLED, 'charges half of a processing job that is cancelled', ofCancel(30, 'processing')],
  [
    CANCELLED,
    'charges a cancelled job when it would have ended',
    charges((request, response) => (isFor(request, 'cancelJob') && response.status < 300 ? 60 : 0), 75_000),
    'charges/every-run',
  ],
  [
    CANCELLED,
    'charges each job once it is cancelled again',
    charges((request, response) => (isFor(request, 'cancelJob') && response.status === 409 ? 60 : 0)),
  ],
])
