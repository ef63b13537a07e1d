import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { createCallbackUrls } from './callback-urls.ts'
import { DeliveryPoster } from './post-delivery.ts'

/** Options of `modelrun trigger`. */
export interface TriggerOptions {
  forwardTo: string
  publicUrl?: string | undefined
  jobId?: string | undefined
  data?: string | undefined
  duplicate: number
  json?: boolean | undefined
}

/** Posts a made-up delivery. */
export async function runTrigger(event: string, options: TriggerOptions, context: CliContext): Promise<ExitCode> {
  const { jobId, data, duplicate } = options
  const { succeededEvent, failedEvent, unknownEvent } = await import('modelrun/webhooks/testing')
  const fields = { ...readData(data), ...(jobId === undefined ? {} : { job_id: jobId }) }
  const create = event === 'succeeded' ? succeededEvent : event === 'failed' ? failedEvent : unknownEvent
  const body = create(fields)
  const poster = new DeliveryPoster(await createCallbackUrls(options, context), context.terminal)
  const post = await poster.prepare(body)
  let isDelivered = true
  for (let copy = 0; copy <= duplicate; copy++) {
    isDelivered = (await post()) && isDelivered
  }
  return isDelivered ? EXIT.done : EXIT.failed
}

function readData(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { ...data }
  } catch {
    // The same message as for JSON that is no object.
  }
  throw new UsageError(`--data must be a JSON object, such as '{"credits_used":12}'.`)
}
