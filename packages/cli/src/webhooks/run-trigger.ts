import { isRecord, tryParseJson } from '@modelrun/kit'
import type { DeliveryBody } from 'modelrun/webhooks/testing'
import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { createCallbackUrls } from './callback-urls.ts'
import { DeliveryPoster } from './post-delivery.ts'
import { deliveryOfRealJob } from './real-job.ts'

/** Options of `modelrun trigger`. */
export interface TriggerOptions extends ServiceOptions {
  forwardTo: string
  publicUrl?: string | undefined
  jobId?: string | undefined
  data?: string | undefined
  duplicate: number
}

/** How a job ended. */
export type TriggerEvent = 'succeeded' | 'failed' | 'unknown'

const MADE_UP =
  'This job is made up: an inbox with a `client` drops its delivery. With the key and the url of `modelrun dev`, ' +
  'succeeded and failed are real jobs.'

/** Posts a delivery: that of a real job where a service of `modelrun dev` makes one, else a made-up one. */
export async function runTrigger(event: TriggerEvent, options: TriggerOptions, context: CliContext): Promise<ExitCode> {
  const { jobId, data, duplicate } = options
  const fields = readData(data)
  const poster = new DeliveryPoster(await createCallbackUrls(options, context), context.terminal)
  const isReal = jobId === undefined && event !== 'unknown'
  const real = isReal ? await deliveryOfRealJob({ event, data: fields }, options, context) : undefined
  if (real === undefined && jobId === undefined) context.terminal.say(MADE_UP)
  const body = real ?? (await madeUpDelivery(event, { ...fields, ...(jobId === undefined ? {} : { job_id: jobId }) }))
  const post = await poster.prepare(body)
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
