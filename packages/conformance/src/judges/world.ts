import type { RouteName } from '@modelrun/contract'
import type { ApiResponse } from '../http/caller.ts'
import { at } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { hasEnded, jobIdIn, jobStatus } from '../session/actions.ts'
import { mayDo } from '../session/keys.ts'
import type { Session } from '../session/session.ts'
import { type ApiCall, apiCallOf, isItsOwn, type ListCall, listCallOf } from './api-calls.ts'

/** Everything that a run of the suite has sent and received, by kind. */
export type World = ReturnType<typeof worldOf>

export type RunCall = ReturnType<typeof runCallOf>

/** A job with everything that was seen of it, each in order. */
export type JobStory = ReturnType<typeof storyOf>[number]

export function worldOf(session: Session) {
  const calls = session.recorded.filter(({ response }) => response.status !== 429).flatMap(apiCallOf)
  const ofRoute = (route: RouteName) => calls.filter((call) => call.route === route)
  const askedLists = ofRoute('listModels').filter(isItsOwn).flatMap(listCallOf)
  const lists = askedLists.filter(({ response }) => response.status < 300)
  const details = ofRoute('getModel').filter(({ response }) => response.status < 300)
  const prices = pricesOf(lists, details)
  for (const target of Object.values(session.targets)) if (target) prices.set(target.modelId, target.creditsPerRun)
  const sentRuns = ofRoute('runModel').map((call) => runCallOf(call, session, prices))
  const accepted = sentRuns.filter(({ response, jobId }) => response.status < 300 || jobId !== undefined)
  return {
    session,
    /** Requests to the endpoints of section 4, but those that a rate limit rejected. */
    calls,
    /** Lists that should be returned, and those that were. */
    askedLists,
    lists,
    details,
    sentRuns,
    /** The runs that were accepted, with a key and an input that the specification accepts. */
    runs: accepted.filter(({ violation, key }) => violation === undefined && mayDo(key, 'runModel')),
    /** The jobs of all accepted runs, wrong ones included. */
    jobs: accepted.flatMap((run) => storyOf(run, calls)),
  }
}

/** Whether a list is asked for without a category and a search. */
export function isUnfiltered({ query }: ListCall): boolean {
  return query.category === undefined && query.search === undefined
}

/** Every price that was shown. The details come last, so they win. The models that are run are run at the price of the plan. */
function pricesOf(lists: readonly ListCall[], details: readonly ApiCall[]) {
  const models = [...lists.flatMap((list) => modelsOf(list.response)), ...details.map((one) => one.response.json)]
  const shown = models.flatMap((model): [string, number][] => {
    const [id, price] = [at(model, '/id'), at(model, '/pricing/credits_per_run')]
    return typeof id === 'string' && typeof price === 'number' ? [[id, price]] : []
  })
  return new Map(shown)
}

function runCallOf(call: ApiCall, session: Session, prices: ReadonlyMap<string, number>) {
  const [sync, url] = [at(call.body, '/sync'), at(call.body, '/webhook_url')]
  const { failing } = session.targets
  const isFailing = call.id === failing?.modelId
  return {
    ...call,
    sync: typeof sync === 'boolean' ? sync : undefined,
    hasWebhook: url !== undefined,
    mode: `${sync === false ? 'async' : 'sync'}${url === undefined ? '' : '+webhook'}` as const,
    /** Missing when no webhook was asked for. */
    endpoint: session.endpoints.find((endpoint) => endpoint.url === url),
    jobId: jobIdIn(call.response),
    says: at(call.response.json, '/status'),
    /** Missing when neither the list nor the details showed it. */
    price: prices.get(call.id),
    /** Whether its input makes the provider fail. */
    shouldFail: isFailing && JSON.stringify(at(call.body, '/input')) === JSON.stringify(failing.input),
  }
}

function storyOf(run: RunCall, calls: readonly ApiCall[]) {
  const { jobId } = run
  if (jobId === undefined) return []
  // The job of one key may not be there for another, which may belong to another account.
  const isOfAccount = ({ key, response }: ApiCall) => key.name === run.key.name || response.status < 300
  const ofJob = calls.filter((call) => call.id === jobId && isItsOwn(call) && isOfAccount(call))
  const about = (route: RouteName) =>
    ofJob.filter((call) => call.route === route && mayDo(call.key, route)).map(({ response }) => response)
  const reads = about('getJob')
  const end = reads.find(hasEnded)
  return [
    {
      run,
      jobId,
      /** What polls with keys that may read jobs returned. */
      reads,
      /** The first poll that showed an end, and its status. */
      end,
      outcome: end && jobStatus(end),
      /** What cancels with keys that may cancel jobs returned. */
      cancels: about('cancelJob'),
    },
  ]
}

/** The job of a run, where it has one that can be read. */
export function jobOf({ jobId }: RunCall, { jobs }: World): JobStory | undefined {
  return jobs.find((job) => job.jobId === jobId)
}

export function isBefore(one: ApiResponse, other: ApiResponse): boolean {
  return one.exchange.id < other.exchange.id
}

/** Milliseconds since 1970 when a response was complete, on the suite's clock. */
export function endOf({ exchange, durationMs }: ApiResponse): number {
  return startOf(exchange) + durationMs
}

/** The same when a request was sent or a delivery came. */
export function startOf({ startedAt }: { startedAt: string }): number {
  return Date.parse(startedAt)
}

/** Whether a body says that the model run failed at the provider (section 7). */
export function isProviderFailure(body: unknown): boolean {
  return at(body, '/error/code') === PROVIDER_FAILURE
}

export const PROVIDER_FAILURE = 'PROVIDER_FAILURE'

export function idsOf(response: ApiResponse): unknown[] {
  return modelsOf(response).map(({ id }) => id)
}
