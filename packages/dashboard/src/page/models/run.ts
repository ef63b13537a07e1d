import { post } from '../data/control.ts'
import { ofKey } from '../data/keys.ts'
import { linkTo } from '../route.ts'
import type { Values } from './input-form.tsx'

export type Mode = 'sync' | 'async' | 'webhook'

export interface Form {
  values: Values
  mode: Mode
  webhookUrl: string
}

/** The body of the request that a form stands for. The server has a receiver of its own. */
export function runBody({ values: input, mode, webhookUrl }: Form): object {
  if (mode === 'async') return { input, sync: false }
  return mode === 'sync' ? { input } : { input, webhook_url: webhookUrl || `${location.origin}/_reference/receiver` }
}

/**
 * Lets the server run the model as a client does, and goes to the page of the job. A browser would not do: it sends a POST again by
 * itself when the connection breaks, and so pays twice.
 *
 * @throws Error when there is no job
 */
export async function runModel(model: string, form: Form): Promise<void> {
  const { job_id, message } = await post<{ job_id?: string; message?: string }>('runs', {
    model,
    ...runBody(form),
    ...ofKey(),
  })
  if (job_id === undefined) throw new Error(message ?? 'No response so far: a fault holds it.')
  location.hash = linkTo('jobs', job_id)
}
