import type { Model } from 'modelrun'
import type { DeliveryBody } from 'modelrun/webhooks/testing'
import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { exampleInput } from '../models/example-calls.ts'
import { parametersOf } from '../run/parameter.ts'
import { createService, readBaseUrl } from '../service/create-client.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { deliveryOfJob } from './delivery-of-job.ts'

/** How long a service on this machine may take to say that it is one of `modelrun dev`. */
const PROBE_MS = 2_000

/** The job that a delivery is about. */
export interface WantedJob {
  event: 'succeeded' | 'failed'
  /** Members of the body: the job gets its `output` or its `error`. */
  data: Record<string, unknown>
}

/**
 * Makes a job at the service of `modelrun dev`, ends it, and gives its delivery. Undefined where no such service is: at any
 * other one the run would cost credits.
 */
export async function deliveryOfRealJob(
  { event, data }: WantedJob,
  options: ServiceOptions,
  context: CliContext,
): Promise<DeliveryBody | undefined> {
  const { env } = context
  if (!(options.baseUrl ?? env.MODELRUN_BASE_URL) || !(options.apiKeyFile ?? env.MODELRUN_API_KEY)) return undefined
  const control = `${readBaseUrl(options, context).replace(/\/$/, '')}/_reference`
  const model = cheapest(await readCatalog(control))
  if (model === undefined) return undefined
  const { client } = await createService(options, context)
  const { id } = await client.submit(model.id, exampleInput(parametersOf(model, [])))
  const [action, body] = event === 'succeeded' ? ['complete', pick(data, 'output')] : ['fail', data.error ?? {}]
  const headers = { 'content-type': 'application/json' }
  const ended = await fetch(`${control}/jobs/${id}/${action}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!ended.ok) throw new UsageError(`No job ends with this --data: ${await ended.text()}`)
  const credits = model.pricing.credits_per_run
  const delivery = await deliveryOfJob(client, id, { credits, signal: new AbortController().signal })
  return delivery && { ...delivery, ...data }
}

/** The models, which only a reference server shows there. Empty for any other service. */
async function readCatalog(control: string): Promise<Model[]> {
  try {
    const response = await fetch(`${control}/models`, { redirect: 'manual', signal: AbortSignal.timeout(PROBE_MS) })
    const { models } = (await response.json()) as { models?: unknown }
    // A reference server says what the specification shows.
    return response.ok && Array.isArray(models) ? models : []
  } catch {
    return []
  }
}

function cheapest(models: readonly Model[]): Model | undefined {
  return models.toSorted((one, other) => one.pricing.credits_per_run - other.pricing.credits_per_run)[0]
}

function pick(data: Record<string, unknown>, name: string): object {
  return name in data ? { [name]: data[name] } : {}
}
