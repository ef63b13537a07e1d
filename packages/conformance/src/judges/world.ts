import type { RouteName } from '@modelrun/contract'
import type { ApiResponse } from '../http/caller.ts'
import type { Recovered } from '../http/sent-again.ts'
import { at } from '../json.ts'
import { modelsOf, targetsOf } from '../plan/targets.ts'
import { isTerminal, jobIdIn, jobStatus } from '../session/actions.ts'
import { mayDo } from '../session/keys.ts'
import type { Session } from '../session/session.ts'
import type { WebhookEndpoint } from '../webhooks/webhook-endpoints.ts'
import { type ApiCall, apiCallOf, isItsOwn, type ListCall, listCallOf, routeOf } from './api-calls.ts'

/** A run with what was asked for. */
export interface RunCall extends ApiCall {
  sync: boolean | undefined
  /** Missing when no webhook was asked for, or one that the suite does not receive. */
  endpoint: WebhookEndpoint | undefined
  hasWebhook: boolean
  jobId: string | undefined
  /** Missing when neither the list nor the details showed it. */
  price: number | undefined
  /** Whether its input makes the provider fail. */
  shouldFail: boolean
}

/** A job with everything that was seen of it, each in order. */
export interface JobStory {
  run: RunCall
  jobId: string
  /** What polls with keys that may read jobs returned. */
  reads: readonly ApiResponse[]
  /** The first poll that showed an end. */
  end: ApiResponse | undefined
  /** Cancels with the key of the run, or the one with all permissions. */
  cancels: readonly ApiResponse[]
  /** Cancels with other keys that may cancel jobs. They may belong to another account. */
  otherCancels: readonly ApiResponse[]
}

/** The reads of one endpoint that should be returned. */
export interface ReadsOf {
  route: RouteName
  calls: readonly ApiCall[]
  /** Responses that failed before those. */
  recovered: readonly ApiResponse[]
}

/** Everything that a run of the suite has sent and received, by kind. */
export interface World {
  session: Session
  /** Requests to the endpoints of section 4. */
  calls: readonly ApiCall[]
  /** Those that should be returned, and those that were. */
  askedLists: readonly ListCall[]
  lists: readonly ListCall[]
  /** Details of models that were returned. */
  details: readonly ApiCall[]
  /** Reads that should be returned, with how often those of the same endpoint failed before they were. */
  reads: readonly ReadsOf[]
  /** Every run that was sent. */
  sentRuns: readonly RunCall[]
  /** The runs that were accepted, with a key and an input that the specification accepts. */
  runs: readonly RunCall[]
  /** The jobs of all accepted runs, wrong ones included. */
  jobs: readonly JobStory[]
  /** Lists between which the catalog did not change. */
  stillLists: readonly ListCall[]
}

/** Sorts what was recorded. */
export function worldOf(session: Session): World {
  const calls = session.recorded.flatMap(apiCallOf)
  const ofRoute = (route: RouteName) => calls.filter((call) => call.route === route)
  const askedLists = ofRoute('listModels').filter(isItsOwn).flatMap(listCallOf)
  const lists = askedLists.filter(({ response }) => response.status < 300)
  const details = ofRoute('getModel').filter(({ response }) => response.status < 300)
  const prices = pricesOf(session, lists, details)
  const sentRuns = ofRoute('runModel').map((call) => runCallOf(call, session, prices))
  const accepted = sentRuns.filter(({ response }) => response.status < 300 || at(response.json, '/job_id'))
  return {
    session,
    calls,
    askedLists,
    lists,
    details,
    reads: (['listModels', 'getModel', 'getJob'] as const).map((route) => readsOf(route, ofRoute(route), session)),
    sentRuns,
    runs: accepted.filter(({ isOpen, key }) => !isOpen && mayDo(key, 'runModel')),
    // Jobs of another account cannot be read.
    jobs: accepted.filter(({ key }) => key.kind !== 'open').flatMap((run) => storyOf(run, calls)),
    stillLists: stillListsOf(lists),
  }
}

/** All lists, or the most between which the catalog may not have changed. A total that comes back is not a change. */
function stillListsOf(lists: readonly ListCall[]): readonly ListCall[] {
  const whole = lists.filter(({ query }) => query.category === undefined && query.search === undefined)
  const totals = whole.map(({ response }) => at(response.json, '/total'))
  const epochs = totals.flatMap((total, index) => (total === totals[index - 1] ? [] : [total]))
  if (epochs.length < 2 || new Set(epochs).size < epochs.length) return lists
  const of = (epoch: unknown) => {
    const same = whole.filter((_, index) => totals[index] === epoch)
    const [first, last] = [same[0], same.at(-1)]
    return lists.filter(({ response: { exchange } }) => {
      return exchange.id >= Number(first?.response.exchange.id) && exchange.id <= Number(last?.response.exchange.id)
    })
  }
  return epochs.map(of).toSorted((one, other) => other.length - one.length)[0] ?? []
}

function readsOf(route: RouteName, calls: readonly ApiCall[], { recovered }: Session): ReadsOf {
  const isAsked = ({ key, isOpen }: ApiCall) => mayDo(key, route) && !isOpen
  const isOfRoute = ({ path }: Recovered) => routeOf('GET', path)?.route === route
  return {
    route,
    calls: calls.filter((call) => isAsked(call) && (route !== 'listModels' || listCallOf(call).length > 0)),
    recovered: recovered.filter(isOfRoute).map(({ response }) => response),
  }
}

/** Every price that was shown. The details come last, so they win: a run is charged by them. */
function pricesOf(
  { targets }: Session,
  lists: readonly ListCall[],
  details: readonly ApiCall[],
): ReadonlyMap<string, number> {
  const models: unknown[] = [
    ...targetsOf(targets).map(({ modelId, creditsPerRun }) => ({
      id: modelId,
      pricing: { credits_per_run: creditsPerRun },
    })),
    ...lists.flatMap(({ response }) => modelsOf(response)),
    ...details.map(({ response }) => response.json),
  ]
  return new Map(
    models.flatMap((model) => {
      const [id, price] = [at(model, '/id'), at(model, '/pricing/credits_per_run')]
      return typeof id === 'string' && typeof price === 'number' ? [[id, price]] : []
    }),
  )
}

function runCallOf(call: ApiCall, session: Session, prices: ReadonlyMap<string, number>): RunCall {
  const [sync, url] = [at(call.body, '/sync'), at(call.body, '/webhook_url')]
  const { failing } = session.targets
  return {
    ...call,
    sync: typeof sync === 'boolean' ? sync : undefined,
    hasWebhook: url !== undefined,
    endpoint: session.endpoints.find((one) => one.url === url),
    jobId: jobIdIn(call.response),
    price: prices.get(call.id),
    shouldFail:
      call.id === failing?.modelId && JSON.stringify(at(call.body, '/input')) === JSON.stringify(failing.input),
  }
}

function storyOf(run: RunCall, calls: readonly ApiCall[]): JobStory[] {
  const { jobId } = run
  if (jobId === undefined) return []
  // The job of one key may not be there for another, which may belong to another account.
  const isOwn = ({ key }: ApiCall) => key.name === run.key.name
  const isOfAccount = (call: ApiCall) => isOwn(call) || call.response.status < 300
  const about = (route: RouteName) =>
    calls.filter(
      (call) =>
        call.route === route && call.id === jobId && isItsOwn(call) && isOfAccount(call) && mayDo(call.key, route),
    )
  const reads = about('getJob').map(({ response }) => response)
  const end = reads.find((read) => isTerminal(jobStatus(read)))
  const cancels = about('cancelJob')
  return [
    {
      run,
      jobId,
      reads,
      end,
      cancels: cancels.filter(isOwn).map(({ response }) => response),
      otherCancels: cancels.filter((call) => !isOwn(call)).map(({ response }) => response),
    },
  ]
}

/** The job of a run, where it has one that can be read. */
export function jobOf({ jobId }: RunCall, { jobs }: Pick<World, 'jobs'>): JobStory | undefined {
  return jobs.find((job) => job.jobId === jobId)
}

/** The cancels of a job, those with the key of its run first. */
export function allCancels({ cancels, otherCancels }: Pick<JobStory, 'cancels' | 'otherCancels'>): ApiResponse[] {
  return [...cancels, ...otherCancels]
}

/** Whether one request was sent before another. */
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

/**
 * Whether the delivery of a run, which its receiver did not accept, came more often than any that was accepted. A service may
 * deliver anything twice (section 6, rule 3), also now and then, so that one such run proves nothing.
 */
export function isSuspicious({ endpoint }: RunCall, { sentRuns }: Pick<World, 'sentRuns'>): boolean {
  if (endpoint === undefined || endpoint.behavior === 'accept') return false
  const accepted = sentRuns.flatMap((run) =>
    run.endpoint?.behavior === 'accept' ? [run.endpoint.deliveries.length] : [],
  )
  const most = Math.max(0, ...accepted)
  return most > 0 && endpoint.deliveries.length > most
}

/** The ids of the models on a page. */
export function idsOf(response: ApiResponse): unknown[] {
  return modelsOf(response).map(({ id }) => id)
}
