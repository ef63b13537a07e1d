import { isRecord, memberOf, messageWithCause, tryParseJson } from '@modelrun/kit'
import type { Model } from 'modelrun'
import type { DeliveryBody } from 'modelrun/webhooks/testing'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { callControl } from '../development/control.ts'
import { UsageError } from '../errors.ts'
import { exampleInput } from '../models/example-calls.ts'
import type { ReceiverOptions, ServiceOptions } from '../options.ts'
import { readParameters } from '../run/parameters.ts'
import { createClient, findConnection } from '../service/service.ts'
import { createPoster } from './deliveries.ts'
import { deliveryOfJob } from './listen.ts'

/** Options of `modelrun trigger`. */
export interface TriggerOptions extends ServiceOptions, ReceiverOptions {
  jobId?: string | undefined
  data?: string | undefined
}

/** How a job ended. */
export type TriggerEvent = 'succeeded' | 'failed' | 'unknown'

const MADE_UP =
  'This job is made up: an inbox with a `client` drops its delivery. With the key and the url of `modelrun dev`, ' +
  'succeeded and failed are real jobs.'

/** Posts a delivery: that of a real job where a service of `modelrun dev` makes one, else a made-up one. */
export async function runTrigger(
  [event]: [TriggerEvent],
  options: TriggerOptions,
  context: CliContext,
): Promise<ExitCode> {
  const { jobId, duplicate } = options
  const data = readData(options.data)
  const prepare = await createPoster(options, context)
  const isReal = jobId === undefined && event !== 'unknown'
  const real = isReal ? await deliveryOfRealJob({ event, data }, options, context) : undefined
  if (real === undefined && jobId === undefined) context.terminal.say(MADE_UP)
  const body = real ?? (await madeUpDelivery(event, { ...data, ...(jobId === undefined ? {} : { job_id: jobId }) }))
  const post = await prepare(body)
  let isDelivered = true
  for (let copy = 0; copy <= duplicate; copy++) {
    isDelivered = (await post()) && isDelivered
  }
  return isDelivered ? EXIT.done : EXIT.failed
}

async function madeUpDelivery(event: TriggerEvent, fields: Record<string, unknown>): Promise<DeliveryBody> {
  const { succeededEvent, failedEvent, unknownEvent } = await import('modelrun/webhooks/testing')
  const create = { succeeded: succeededEvent, failed: failedEvent, unknown: unknownEvent }[event]
  return create(fields)
}

function readData(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  const data = tryParseJson(text)
  if (isRecord(data)) return data
  throw new UsageError(`--data must be a JSON object, such as '{"credits_used":12}'.`)
}

/** The job that a delivery is about. */
interface WantedJob {
  event: 'succeeded' | 'failed'
  /** Members of the body: the job gets its `output` or its `error`. */
  data: Record<string, unknown>
}

/**
 * Makes a job at the service of `modelrun dev` that ends so, and gives its delivery. Undefined where no such service is: at any
 * other one the run would cost credits.
 */
async function deliveryOfRealJob(
  { event, data }: WantedJob,
  options: ServiceOptions,
  context: CliContext,
): Promise<DeliveryBody | undefined> {
  const { key, url } = findConnection(options, context)
  if (key === undefined || url === undefined) return undefined
  // Only a reference server shows its models there, and as the specification shows them.
  const models = memberOf(await callControl(url.value, 'models').catch(() => undefined), 'models')
  const [model] = (Array.isArray(models) ? (models as Model[]) : []).toSorted((a, b) => priceOf(a) - priceOf(b))
  if (model === undefined) return undefined
  const { output, error } = data
  const script = { model: model.id, outcomes: [{ result: event, after_ms: 0, output, error }], key: key.value }
  await callControl(url.value, 'scripts', { body: script }).catch((problem: unknown) => {
    throw new UsageError(`No job ends with this --data: ${messageWithCause(problem)}`)
  })
  const client = await createClient(key.value, url.value, context)
  const { id } = await client.submit(model.id, exampleInput(readParameters(model, [])))
  const delivery = await deliveryOfJob(client, { jobId: id, credits: priceOf(model) })
  return delivery && { ...delivery, ...data }
}

function priceOf({ pricing }: Model): number {
  return pricing.credits_per_run
}
