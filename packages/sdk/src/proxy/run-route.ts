import { type RunRequest, runCompletedSchema, runProcessingSchema, runQueuedSchema } from '@modelrun/contract'
import { defined, ModelRunError, withTimeLimit } from '@modelrun/kit'
import type { AnyRunResponse } from '../client/runs/run-operation.ts'
import type { Reservation } from './budget/spending.ts'
import { type ProxyCore, type Route, settle, settleState, type Visit } from './proxy-core.ts'
import { readRunRequest } from './read-run-request.ts'
import {
  failureResponse,
  isForOperator,
  namedMembers,
  rejection,
  reply,
  shownCode,
  shownError,
  unavailable,
  unknownModel,
} from './reply.ts'
import { isCredits } from './resolve-proxy-options.ts'

interface SentRun {
  model: string
  reservation: Reservation | undefined
  /** The price that was read. Undefined where nothing limits it. */
  maxCredits?: number | undefined
}

/** `POST /v1/models/{model}/run` (section 4.3). */
export const runModel: Route = async (core, visit, { id: model, request }) => {
  if (!core.options.models.includes(model)) return unknownModel()
  const body = await readRunRequest(request, core.rules)
  if (body instanceof Response) return body
  const key = JSON.stringify([visit.identity.user, model, body])
  return core.runsUnderWay.join({ key, hasLeft: request.hasLeft }, async () => {
    const agreed = await reserve(core, visit, model)
    return agreed instanceof Response ? agreed : send(core, visit, { model, body, ...agreed })
  })
}

/** Longest time that a page waits for the budget store before its run is rejected. */
const RESERVE_LIMIT_MS = 10_000

async function reserve(core: ProxyCore, visit: Visit, model: string): Promise<Omit<SentRun, 'model'> | Response> {
  const { options, catalog, spending } = core
  const isUnlimited = options.maxCredits === Number.POSITIVE_INFINITY && spending === undefined
  if (isUnlimited) return { reservation: undefined }
  try {
    const { credits_per_run: price } = (await catalog.readAgain(model)).pricing
    if (!isCredits(price) || !Number.isFinite(price))
      throw new TypeError(`The price of ${model} is not a number of credits: ${price}.`)
    if (price > options.maxCredits) {
      return rejection(402, ['BUDGET_EXCEEDED', 'A run of this model costs more than this application allows.'])
    }
    if (spending === undefined || price === 0) return { reservation: undefined, maxCredits: price }
    const limits = { clock: options.clock, limitMs: RESERVE_LIMIT_MS, name: '`reserve` of the budget store' }
    const reserving = spending.reserve(visit.identity, price)
    const reservation = await withTimeLimit(() => reserving, limits).catch((error: unknown) => {
      // What the store adds too late is not of a run.
      reserving.then((late) => settle(core, visit, { reservation: late, charged: 0 })).catch(() => {})
      throw error
    })
    if (reservation !== undefined) return { reservation, maxCredits: price }
    return rejection(402, ['BUDGET_EXCEEDED', 'There are not enough credits left for this run.'])
  } catch (error) {
    visit.report(error)
    return unavailable('The price of the run cannot be set aside now.')
  }
}

/** Sends the run, once: the client of the page decides whether it sends another one. */
async function send(
  core: ProxyCore,
  visit: Visit,
  { model, body, reservation, maxCredits }: SentRun & { body: RunRequest },
): Promise<Response> {
  const { client, holdRuns } = core.options
  const { input } = body
  const sync = holdRuns ? body.sync : false
  try {
    const sent = client.models.run(model, defined({ input, sync }), defined({ maxRetries: 0, maxCredits }))
    const { data, response, requestId } = await sent.withResponse()
    const { status } = response
    return await accepted(core, visit, { model, reservation, run: data, status, requestId })
  } catch (error) {
    return failed(core, visit, { model, reservation, error })
  }
}

interface AcceptedRun extends SentRun {
  run: AnyRunResponse
  status: number
  requestId: string | undefined
}

/** Sends the page the response of the service, with an id that is for this user alone. */
async function accepted(core: ProxyCore, visit: Visit, acceptedRun: AcceptedRun): Promise<Response> {
  const { run, reservation, requestId } = acceptedRun
  const job = { jobId: run.job_id, reservation }
  await settleState(core, visit, { reservation, state: run })
  const [status, body] = shownRun(acceptedRun, await core.seals.seal(visit.identity.user, job))
  return reply(status, body, { 'x-request-id': shownCode(requestId) })
}

const SCHEMAS = { completed: runCompletedSchema, processing: runProcessingSchema, queued: runQueuedSchema }

function shownRun({ run, status, model }: AcceptedRun, job_id: string): [number, object] {
  const message = `Poll GET /v1/jobs/${job_id} for the result.`
  // The job exists, whatever the response was: its state is found by polling.
  if (run.status === 'unknown') return [202, { job_id, ...shownEnd(run), model_id: model, message }]
  const named = { ...namedMembers([SCHEMAS[run.status]], run), job_id }
  return [run.status === 'completed' ? 200 : status, 'message' in named ? { ...named, message } : named]
}

/** The status of a run whose response has another shape; of one that failed with the error that it must have (section 2.4). */
function shownEnd({ reported_status: status = 'processing' }: Extract<AnyRunResponse, { status: 'unknown' }>): object {
  return status === 'failed' ? { status, error: shownError({}) } : { status }
}

/** Gives back what was reserved, when the run certainly did not count. Else it stays reserved until its window ends. */
async function failed(
  core: ProxyCore,
  visit: Visit,
  { model, reservation, error }: SentRun & { error: unknown },
): Promise<Response> {
  if (isForOperator(error)) visit.report(error)
  if (error instanceof ModelRunError) {
    const { jobId, submission } = error
    // A rejection may name the job of another user.
    if (jobId !== undefined && submission === 'accepted') {
      const run = { status: 'unknown', job_id: jobId } as const
      return accepted(core, visit, { model, reservation, run, status: 202, requestId: error.requestId })
    }
    const isFree = submission === 'not_sent' || submission === 'rejected'
    if (isFree) await settle(core, visit, { reservation, charged: 0 })
  }
  return failureResponse(error, { isRun: true })
}
