import { isRecord, tryParseJson } from '@modelrun/kit'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import type { ReceiverOptions, ServiceOptions } from '../options.ts'
import { createPoster } from './deliveries.ts'

export interface TriggerOptions extends ServiceOptions, ReceiverOptions {
  jobId?: string | undefined
  data?: string | undefined
}

export type TriggerEvent = 'succeeded' | 'failed' | 'unknown'

const MADE_UP =
  'This job is made up: an inbox with a `client` drops its delivery. `modelrun listen` delivers real ones, also of `modelrun dev`.'

export async function runTrigger(
  [event]: [TriggerEvent],
  options: TriggerOptions,
  context: CliContext,
): Promise<ExitCode> {
  const { jobId: job_id, data } = options
  const members = data === undefined ? {} : tryParseJson(data)
  if (!isRecord(members)) throw new UsageError(`--data must be a JSON object, such as '{"credits_used":12}'.`)
  const post = await createPoster(options, context)
  const { succeededEvent, failedEvent, unknownEvent } = await import('modelrun/webhooks/testing')
  const create = { succeeded: succeededEvent, failed: failedEvent, unknown: unknownEvent }[event]
  if (job_id === undefined) context.terminal.say(MADE_UP)
  const isDelivered = await post(create({ ...members, ...(job_id !== undefined && { job_id }) }))
  return isDelivered ? EXIT.done : EXIT.failed
}
