import type { Job } from '@modelrun/contract'
import { ConfigurationError, defined, httpUrl, isText, ModelRunError, memberOf, watch } from '@modelrun/kit'
import { abortable, DEADLINE, type Scope, withinScope } from '../../shared/clock.ts'
import type { Core } from '../core.ts'
import { AbortedError, DeadlineExceededError, HookError } from '../errors/transport-errors.ts'
import { isEnded, type JobReference, toJob } from '../jobs/job-operations.ts'
import type { WaitRequest } from '../jobs/wait-for-job.ts'
import { textOf } from '../observe/logger.ts'
import type { ResultReceiver, SubmitOptions } from './run-options.ts'

interface ReceivedRun {
  model: string
  webhook: ResultReceiver
  scope: Scope
  options: Pick<SubmitOptions, 'timeoutMs' | 'context'>
}

type Prepared = Awaited<ReturnType<ResultReceiver['prepare']>>

/** Sends a run whose receiver is notified before and after. `send` gets the callback URL. */
export async function sendWithReceiver<Sent extends { reference: JobReference }>(
  core: Core,
  run: ReceivedRun,
  send: (url: string) => Promise<Sent>,
): Promise<Sent & { listen: WaitRequest['listen'] }> {
  const { webhook, model } = run
  const { url, ref } = await prepareReceiver(core, run)
  let sent: Sent
  try {
    sent = await send(url)
  } catch (error) {
    if (isNotAccepted(error)) await notifyReceiver(core, run, () => webhook.forget(ref))
    throw error
  }
  const { jobId, state: firstState } = sent.reference
  await notifyReceiver(core, run, () => webhook.expect(jobId, { ref, modelId: model, firstState }))
  return { ...sent, listen: listenTo(core, webhook) }
}

function isNotAccepted(error: unknown): boolean {
  return error instanceof ModelRunError && (error.submission === 'not_sent' || error.submission === 'rejected')
}

/**
 * Prepares the receiver for a run that is about to be sent.
 *
 * @throws AbortedError, DeadlineExceededError, HookError, ConfigurationError: nothing was sent
 */
async function prepareReceiver(core: Core, run: ReceivedRun): Promise<Prepared> {
  const { webhook, model, scope, options } = run
  const { signal } = scope
  let isOver = false
  const prepare = async () => {
    const { context } = options
    const prepared = readPrepared(await webhook.prepare(defined({ modelId: model, context })))
    // What is noted too late must not be reported as a run without a job.
    if (isOver) await webhook.forget(prepared.ref)
    return prepared
  }
  try {
    if (signal.aborted) throw signal.reason
    return await withinLimits(core, run, prepare)
  } catch (error) {
    isOver = true
    throw prepareError(core, run, error)
  }
}

function readPrepared(value: unknown): Prepared {
  const url = memberOf(value, 'url')
  const ref = memberOf(value, 'ref')
  if (isText(url) && httpUrl(url) === undefined && isText(ref)) return { url: String(url), ref: String(ref) }
  throw new ConfigurationError({
    message:
      '`webhook.prepare` must resolve to `{ url, ref }`: a URL that starts with https:// or http://, and a text. Nothing was sent.',
  })
}

function prepareError({ options }: Core, run: ReceivedRun, cause: unknown): Error {
  const { signal, deadlineMs } = run.scope
  const isDeadline = signal.reason === DEADLINE
  const isLate = isDeadline || cause === DEADLINE
  const timeLimit = `timeoutMs (${run.options.timeoutMs ?? options.timeoutMs} ms)`
  const limit = isDeadline ? `deadlineMs (${deadlineMs} ms)` : timeLimit
  const problem = isLate ? `did not return within ${limit}` : `failed: ${textOf(cause)}`
  const fields = { message: `\`webhook.prepare\` ${problem}. Nothing was sent.`, submission: 'not_sent' } as const
  if (isDeadline) return new DeadlineExceededError(fields)
  if (signal.aborted) {
    const message = 'The run was aborted by the caller before it was sent.'
    return new AbortedError({ ...fields, message, cause: signal.reason })
  }
  if (cause instanceof ConfigurationError) return cause
  return new HookError({ ...fields, cause: isLate ? undefined : cause, isRetryable: true })
}

/**
 * Notifies the receiver of the outcome of a run. It cannot lose the run, which is paid for, nor hold it for longer than the
 * call may take: polls find the result.
 */
async function notifyReceiver(core: Core, call: ReceivedRun, notification: () => unknown): Promise<void> {
  try {
    await withinLimits(core, call, async () => await notification())
  } catch (error) {
    const isLate = error === DEADLINE || (call.scope.signal.aborted && error === call.scope.signal.reason)
    const reason = isLate ? 'it has not returned in time' : textOf(error)
    core.options.log.warn(`the webhook receiver could not store the outcome of a run: ${reason}`)
  }
}

/** Settles like the work, or rejects when the run is aborted, or its deadline or `timeoutMs` pass. */
async function withinLimits<T>(core: Core, { scope, options }: ReceivedRun, work: () => Promise<T>): Promise<T> {
  const { clock, timeoutMs } = core.options
  const limits = { clock, signal: scope.signal, deadlineMs: options.timeoutMs ?? timeoutMs }
  return await withinScope(limits, ({ signal }) => abortable(work(), signal))
}

/** Listens to the receiver for the end of a job. Polls find the end as well, so a receiver that fails costs no result. */
export function listenTo({ options: { log } }: Core, webhook: ResultReceiver): NonNullable<WaitRequest['listen']> {
  return (jobId, deliver) => {
    const guard = (call: () => unknown) =>
      watch(call, (error) => log.warn(`the webhook receiver failed; the job ${jobId} is polled: ${textOf(error)}`))
    const onEvent = (event: unknown) => {
      const end = readDelivered(event, jobId)
      if (end !== undefined) deliver(end)
    }
    let stop: unknown
    guard(() => {
      stop = webhook.listen(jobId, (event) => guard(() => onEvent(event)))
      return stop
    })
    return () => guard(() => (typeof stop === 'function' ? stop() : undefined))
  }
}

/**
 * The end of a job as a receiver delivers it.
 *
 * @returns undefined for an event that does not end the job
 * @throws TypeError for an event that cannot be used: of another job or shape, or a success without output
 */
function readDelivered(event: unknown, jobId: string): Job | undefined {
  const job = (memberOf(event, 'job_id') ?? jobId) === jobId ? toDeliveredJob(event) : undefined
  if (job === undefined || (job.status === 'succeeded' && job.output === undefined)) {
    throw new TypeError('it delivered what is not an event of this job')
  }
  return isEnded(job) ? job : undefined
}

function toDeliveredJob(event: unknown): Job | undefined {
  try {
    return toJob(event, '')
  } catch {
    return undefined
  }
}
