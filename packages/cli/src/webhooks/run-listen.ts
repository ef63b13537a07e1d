import type { ModelRun } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { isClientError } from '../errors/report-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { Ledger } from '../ledger/ledger.ts'
import { Interruption } from '../run/interruption.ts'
import { createService } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { createCallbackUrls } from './callback-urls.ts'
import { Chaos, waitMs } from './chaos.ts'
import { deliveryOfJob } from './delivery-of-job.ts'
import { type FollowedRun, followedRuns } from './followed-runs.ts'
import { DeliveryPoster } from './post-delivery.ts'

/** Options of `modelrun listen`. */
export interface ListenOptions extends ServiceOptions {
  forwardTo: string
  publicUrl?: string | undefined
  duplicate: number
  delay: number
  drop: number
  reorder?: boolean | undefined
  seed: number
}

/** Delivers the ends of jobs to a receiver. */
export async function runListen(
  ids: readonly string[],
  options: ListenOptions,
  context: CliContext,
): Promise<ExitCode> {
  const poster = new DeliveryPoster(await createCallbackUrls(options, context), context.terminal)
  const { client, baseUrl } = await createService(options, context)
  const interruption = new Interruption(context)
  const { signal } = interruption
  const chaos = new Chaos(options)
  const { terminal } = context
  if (ids.length === 0) terminal.say(`Runs that are started here are delivered to ${options.forwardTo}. Ctrl-C stops.`)
  const deliveries: Promise<boolean>[] = []
  try {
    const ledger = new Ledger(context.env)
    for await (const run of followedRuns(ids, { ledger, baseUrl, signal })) {
      deliveries.push(deliverEnd(run, { client, chaos, poster, signal }, context))
    }
    const results = await Promise.all(deliveries)
    return results.every(Boolean) ? EXIT.done : EXIT.failed
  } finally {
    interruption.release()
  }
}

/** Resolves to whether every copy that was sent was taken. Never rejects for what happens to one job. */
async function deliverEnd(
  { jobId, credits }: FollowedRun,
  { client, chaos, poster, signal }: { client: ModelRun; chaos: Chaos; poster: DeliveryPoster; signal: AbortSignal },
  { terminal }: CliContext,
): Promise<boolean> {
  try {
    const body = await deliveryOfJob(client, jobId, { credits, signal })
    if (body === undefined) {
      terminal.say(`${cleanText(jobId)} was cancelled: no delivery.`)
      return true
    }
    const delays = chaos.plan()
    const post = await poster.prepare(body)
    if (delays.length === 0) terminal.say(`${cleanText(jobId)}: the delivery is lost, as --drop asks for.`)
    const posts = delays.map(async (delayMs) => {
      await waitMs(delayMs, signal)
      return post()
    })
    return (await Promise.all(posts)).every(Boolean)
  } catch (error) {
    if (signal.aborted) return true
    if (!isClientError(error)) throw error
    terminal.say(`${cleanText(jobId)}: ${cleanText(error.message)}`)
    return false
  }
}
