import { post } from '../data/control.ts'
import { ofKey } from '../data/keys.ts'
import type { Values } from './input-form.tsx'

export type Mode = 'sync' | 'async' | 'webhook'

/** What is known of a run shortly after it was sent. */
export interface RunOutcome {
  /** HTTP status; missing when there was no response so far. */
  status?: number
  /** The job, also when the response was lost. */
  job_id?: string
  /** What went wrong, in the words of the service. */
  message?: string
}

/** What was typed into the form of a model, and the outcome of its last run. */
export interface Form {
  values: Values
  mode: Mode
  webhookUrl: string
  outcome?: RunOutcome | 'running' | undefined
}

/** A receiver that the server itself has. */
export function builtInReceiver(): string {
  return `${location.origin}/_reference/receiver`
}

/** The body of the request that a form stands for. */
export function runBody({ values: input, mode, webhookUrl }: Form): object {
  if (mode === 'async') return { input, sync: false }
  return mode === 'webhook' ? { input, webhook_url: webhookUrl || builtInReceiver() } : { input }
}

/**
 * Lets the server run the model as a client does. A browser would not do: it sends a POST again by itself when the
 * connection breaks, and so pays twice.
 */
export async function runModel(model: string, form: Form): Promise<RunOutcome> {
  try {
    return await post<RunOutcome>('runs', { model, ...runBody(form), ...ofKey() })
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}
