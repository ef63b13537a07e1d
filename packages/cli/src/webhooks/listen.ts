import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelRun } from 'modelrun'
import type { DeliveryBody } from 'modelrun/webhooks/testing'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { Ledger } from '../ledger.ts'
import type { ReceiverOptions, ServiceOptions } from '../options.ts'
import { reportError } from '../report-error.ts'
import { Interruption } from '../run/interruption.ts'
import { createService } from '../service/service.ts'
import { StatusLine } from '../terminal/terminal.ts'
import { countText, durationText } from '../terminal/text.ts'
import { createPoster, type PostDelivery } from './deliveries.ts'

export interface ListenOptions extends ServiceOptions, ReceiverOptions {}

export async function runListen([ids]: [string[]], options: ListenOptions, context: CliContext): Promise<ExitCode> {
  const { terminal } = context
  const post = await createPoster(options, context)
  const { client, baseUrl } = await createService(options, context)
  const { signal } = new Interruption(context)
  if (ids.length === 0) terminal.say(`Runs that are started here are delivered to ${options.forwardTo}. Ctrl-C stops.`)
  const deliveries: Promise<boolean>[] = []
  let endedCount = 0
  const openText = () => countText(deliveries.length - endedCount, 'job')
  const line = new StatusLine(terminal, (elapsedMs) => `${openText()} under way · ${durationText(elapsedMs)}`)
  try {
    for await (const run of followedRuns(ids, { ledger: new Ledger(context), baseUrl, signal })) {
      const delivery = deliverEnd(run, { client, post, signal }, context)
      deliveries.push(delivery)
      void delivery.then(() => endedCount++)
    }
    const results = await Promise.all(deliveries)
    return results.every(Boolean) ? EXIT.done : EXIT.failed
  } finally {
    line.end()
  }
}

/** Resolves to whether every copy was taken. Never rejects. */
async function deliverEnd(
  run: FollowedRun,
  { client, post, signal }: { client: ModelRun; post: PostDelivery; signal: AbortSignal },
  context: CliContext,
): Promise<boolean> {
  try {
    const body = await deliveryOfJob(client, run, signal)
    if (body !== undefined) return await post(body)
    context.terminal.say(`${run.jobId} was cancelled: no delivery.`)
    return true
  } catch (error) {
    if (!signal.aborted) reportError(error, context)
    return signal.aborted
  }
}

interface FollowedRun {
  jobId: string
  /** Price of the run, when it is known: a job need not say what was charged. */
  credits: number | undefined
}

const READ_EVERY_MS = 500

/** The jobs with these ids; without ids, those that continue and those that start while the loop lasts. */
async function* followedRuns(
  ids: readonly string[],
  { ledger, baseUrl, signal }: { ledger: Ledger; baseUrl: string; signal: AbortSignal },
): AsyncGenerator<FollowedRun> {
  if (ids.length > 0) {
    for (const jobId of new Set(ids)) yield { jobId, credits: ledger.findJob(jobId)?.credits }
    return
  }
  const ended = ledger.read().filter(({ status }) => status !== 'running' && status !== 'intent')
  const seen = new Set(ended.map(({ run }) => run))
  while (!signal.aborted) {
    for (const { run, job_id, credits, base_url } of ledger.read()) {
      if (seen.has(run) || job_id === undefined || base_url !== baseUrl) continue
      seen.add(run)
      yield { jobId: job_id, credits }
    }
    await sleep(READ_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** The delivery that the service posts at the end of a job (section 6). `undefined` for a cancelled job, which has none. */
async function deliveryOfJob(
  client: ModelRun,
  { jobId, credits }: FollowedRun,
  signal: AbortSignal,
): Promise<DeliveryBody | undefined> {
  const { JobCancelledError, JobFailedError } = await import('modelrun')
  try {
    const job = client.jobs.attach(jobId)
    const { output, credits_used } = await job.result({ signal, deadlineMs: Number.POSITIVE_INFINITY })
    const charged = credits_used ?? credits ?? 0
    const completed_at = new Date().toISOString()
    return { job_id: jobId, status: 'succeeded', output, credits_used: charged, completed_at }
  } catch (error) {
    if (error instanceof JobCancelledError) return undefined
    if (!(error instanceof JobFailedError)) throw error
    const unnamed = { code: 'PROVIDER_FAILURE', message: 'The service gave no reason.' }
    return { job_id: jobId, status: 'failed', error: error.job.error ?? unnamed }
  }
}
