import { timeNow } from '../data/clock.ts'
import { connection } from '../data/store.ts'
import { currentKey, loadWorld, ofKey } from '../data/world.ts'
import { forget, record, recordJobOf } from '../record/record.ts'
import type { Values } from './input-form.tsx'

export type Mode = 'sync' | 'async' | 'webhook'

/** The outcome of a run. */
export interface RunOutcome {
  /** HTTP status; missing when there was no response. */
  status?: number
  jobId?: string
  /** What went wrong, in the words of the service. */
  message?: string
}

/** The body of the request that a form stands for. */
export function runBody(input: Values, mode: Mode): object {
  if (mode === 'async') return { input, sync: false }
  return mode === 'webhook' ? { input, webhook_url: `${location.origin}/_reference/receiver` } : { input }
}

export function runPath(model: string): string {
  return `/v1/models/${encodeURIComponent(model)}/run`
}

/** Runs a model as any client does, and notes it for the test. */
export async function runModel(model: string, input: Values, mode: Mode): Promise<RunOutcome> {
  if (currentKey() === undefined) await loadWorld()
  const run = record({ kind: 'run', model, input, mode, ...ofKey() }, timeNow())
  try {
    const response = await fetch(runPath(model), {
      method: 'POST',
      headers: { authorization: `Bearer ${currentKey()?.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(runBody(input, mode)),
    })
    const { status } = response
    const body: { job_id?: string; error?: { message?: string } } = await response.json().catch(() => ({}))
    if (body.job_id === undefined) return { status, message: body.error?.message ?? 'The response is not JSON.' }
    recordJobOf(run, body.job_id)
    return { status, jobId: body.job_id }
  } catch {
    if (connection.value === 'lost') {
      forget(run)
      return { message: 'The server does not respond.' }
    }
    return { message: 'No response: the connection broke. Is a fault switched on?' }
  }
}
