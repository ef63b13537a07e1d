import { LIMITS, type RunRequest } from '@modelrun/contract'
import { ConfigurationError, copyJson, defined } from '@modelrun/kit'
import { type Scope, withinScope } from '../../shared/clock.ts'
import type { Core } from '../core.ts'
import type { ApiResult, CallContext } from '../http/operation.ts'
import { DEFAULT_DEADLINE_MS } from '../job-handle.ts'
import type { JobReference } from '../jobs/job-operations.ts'
import { ClientJob } from '../jobs/jobs-resource.ts'
import type { RunResult } from '../jobs/run-result.ts'
import { outcomeOfCompleted, type WaitRequest, waitForJob } from '../jobs/wait-for-job.ts'
import { loadPart } from '../load-part.ts'
import { notify } from '../observe/logger.ts'
import type { Preflight } from './preflight.ts'
import { type AnyRunResponse, runOperation } from './run-operation.ts'
import type { RunOptions, SubmitOptions } from './run-options.ts'

/** Runs a model to its end: within the hold, or by polling or a webhook after it. */
export async function runModel(core: Core, call: RunCall<RunOptions>): Promise<ApiResult<RunResult>> {
  const { options } = call
  const { clock, log } = core.options
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS
  const endsAt = clock.now() + deadlineMs
  const { runResponse, reference, elapsedMs, response, requestId, attempts, listen } = await sendRun(
    core,
    call,
    deadlineMs,
  )
  const job = new ClientJob(core, reference)
  if (runResponse.status !== 'completed') {
    const data = await waitForJob({ core, job, reference, options, endsAt, listen })
    return { data, response, requestId, attempts }
  }
  // A longer hold says nothing of the job: the machine slept, or the response was on its way.
  const isHold = elapsedMs <= LONGEST_HOLD_MS
  if (isHold) core.durations.learn(reference.modelId ?? call.model, { runningMs: elapsedMs, finishedMs: elapsedMs })
  const { onStatus } = options
  const { state } = reference
  if (onStatus && state) notify(log, 'onStatus', () => onStatus(copyJson(state), job))
  return { data: outcomeOfCompleted(reference, runResponse), response, requestId, attempts }
}

export interface RunCall<O> {
  model: string
  /** By `checkInput`, at once: the program may change its object while a part of the client loads. */
  input: Record<string, unknown>
  options: O
}

interface SentRun extends Omit<ApiResult<AnyRunResponse>, 'data'> {
  runResponse: AnyRunResponse
  reference: JobReference
  /** Milliseconds from the request to the response. */
  elapsedMs: number
  /** With a webhook. */
  listen?: WaitRequest['listen']
}

export async function submitRun(
  core: Core,
  call: RunCall<SubmitOptions>,
  deadlineMs?: number,
): Promise<ApiResult<ClientJob>> {
  const sent = await sendRun(core, { ...call, options: { ...call.options, mode: 'async' } }, deadlineMs)
  const { reference, response, requestId, attempts } = sent
  return { data: new ClientJob(core, reference), response, requestId, attempts }
}

/** Checks a run and sends it, once. A webhook receiver is notified before and after. */
async function sendRun(
  core: Core,
  { model, input, options }: RunCall<RunOptions>,
  deadlineMs?: number,
): Promise<SentRun> {
  const { signal, maxCredits, validateInput } = options
  checkWebhook(options)
  // Without an option for it nothing loads, and the run is sent in this turn.
  const preflight = maxCredits !== undefined || validateInput === true ? await loadPreflight() : undefined
  const { webhook } = options
  const receiver = webhook && { webhook, ...(await loadPart(() => import('./receiver-calls.ts'))) }
  return await withinScope({ clock: core.options.clock, signal, deadlineMs }, async (scope) => {
    const price: CheckedRun['price'] = { creditsPerRun: undefined }
    const check = async () => {
      price.creditsPerRun = await preflight?.(core, { model, input }, { scope, options })
      chooseMode()
    }
    const request: RunRequest = { input }
    const chooseMode = () => {
      const mode = options.mode ?? (needsJobAtOnce(options, scope) ? 'async' : 'sync')
      if (mode === 'async') request.sync = false
    }
    chooseMode()
    // A callback URL, an API key or a retry may take minutes.
    const isTimed = options.deadlineMs !== undefined && request.sync !== false
    const beforeSend = preflight || isTimed ? check : undefined
    const run = { model, request, scope, options, price, beforeSend }
    const sendTo = (url: string | undefined) => send(core, run, url)
    if (receiver === undefined) return await sendTo(options.webhookUrl)
    return await receiver.sendWithReceiver(core, { ...run, webhook: receiver.webhook }, sendTo)
  })
}

function checkWebhook({ webhook, webhookUrl, context }: SubmitOptions): void {
  if (webhook !== undefined && webhookUrl !== undefined) {
    throw new ConfigurationError({ message: 'Pass either `webhook` or `webhookUrl`, not both. Nothing was sent.' })
  }
  if (webhook === undefined && context !== undefined) {
    const message = '`context` needs `webhook`, an inbox whose handler gets it. Nothing was sent.'
    throw new ConfigurationError({ message })
  }
}

/** The service holds a run for "about" 55 s (section 8); its response needs time on top. */
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 5_000

/**
 * While the service holds a run, its job id is not known here: an abort or a deadline would lose a job that is paid for,
 * no progress could be reported, and nothing could cancel the job.
 */
function needsJobAtOnce(options: RunOptions, scope: Scope): boolean {
  const { signal, onStatus, webhook, webhookUrl, onAbort, onDeadline } = options
  const isTracked = [signal, onStatus, webhook, webhookUrl].some((option) => option !== undefined)
  return isTracked || scope.remainingMs() <= LONGEST_HOLD_MS || onAbort === 'cancel' || onDeadline === 'cancel'
}

interface CheckedRun {
  model: string
  request: RunRequest
  scope: Scope
  options: SubmitOptions
  /** The price, when it was read. */
  price: { creditsPerRun: number | undefined }
  beforeSend: CallContext['beforeSend']
}

async function send(
  { options: { clock }, transport }: Core,
  { model, request, scope, options, price, beforeSend }: CheckedRun,
  webhookUrl: string | undefined,
): Promise<SentRun> {
  const body = webhookUrl === undefined ? request : { ...request, webhook_url: webhookUrl }
  const context = { scope, options, beforeSend }
  const { data, response, requestId, attempts } = await transport.call(runOperation(model, body), context)
  const seenAt = clock.now()
  // Of the attempt that succeeded, without what was awaited before.
  const elapsedMs = attempts.at(-1)?.durationMs ?? 0
  const reference: JobReference = {
    jobId: data.job_id,
    submittedAt: seenAt - elapsedMs,
    attempts,
    sentRequestId: requestId,
    ...price,
    modelId: model,
    ...(data.status === 'unknown' ? {} : { seenAt }),
    ...whatIsKnown(data),
  }
  return { runResponse: data, reference, elapsedMs, response, requestId, attempts }
}

/** The ids and the state in the response to a run: its job is queued, is being processed, or has ended already. */
function whatIsKnown(run: AnyRunResponse): Pick<JobReference, 'modelId' | 'requestId' | 'state'> {
  if (run.status === 'unknown') return run.error ? { state: { status: 'failed', error: run.error } } : {}
  const { status, model_id: modelId, request_id: requestId } = run
  const state = status === 'completed' ? { ...run, status: 'succeeded' } : { status }
  return { ...defined({ modelId }), requestId, state }
}

/** The check of a run against its model. Loaded before a time limit of the run starts. @throws ConnectionError */
export async function loadPreflight(): Promise<Preflight> {
  const { preflight } = await loadPart(() => import('./preflight.ts'))
  return preflight
}
