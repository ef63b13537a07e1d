import type { RunOptions, RunResult } from 'modelrun'
import { type CallContext, DEADLINE_MS } from './call-context.ts'
import type { Outcome, Phase } from './evidence.ts'

const MODEL = 'aurora-image'
export const KEYS = ['fox', 'hare', 'owl'] as const

/** `client.run`. */
export async function callRun(
  { client, plugged, inputOf, outcomes }: CallContext,
  mode: 'sync' | 'async',
): Promise<undefined> {
  const options = { deadlineMs: DEADLINE_MS, mode, ...plugged.run }
  const run = await attempt(() => client.run(MODEL, inputOf('fox'), options))
  outcomes.push(toOutcome('fox', 'run', run))
}

/** `client.submit`, then `job.result()`. */
export async function callSubmit({ client, plugged, inputOf, outcomes }: CallContext): Promise<undefined> {
  const { signal, webhook, maxCredits, validateInput, ...wait } = plugged.run ?? {}
  const options = { signal, webhook, maxCredits, validateInput }
  const submitted = await attempt(() => client.submit(MODEL, inputOf('fox'), options))
  if ('reason' in submitted) return void outcomes.push(toOutcome('fox', 'submit', submitted))
  const { onStatus, deadlineMs = DEADLINE_MS, onAbort, onDeadline } = wait
  const waited = await attempt(() => submitted.value.result({ signal, onStatus, deadlineMs, onAbort, onDeadline }))
  outcomes.push(toOutcome('fox', 'wait', waited))
}

/** `client.runMany`. */
export async function callMany(context: CallContext): Promise<undefined> {
  const { client, plugged, inputOf, outcomes } = context
  const { mode: _, webhookUrl: __, ...run } = plugged.run ?? ({} as RunOptions)
  const options = { deadlineMs: DEADLINE_MS, ...run, ...plugged.many }
  for await (const settled of client.runMany(MODEL, KEYS.map(inputOf), options)) {
    const found = settled.status === 'fulfilled' ? { value: settled.value } : { reason: settled.reason }
    const outcome = toOutcome(KEYS[settled.index] ?? '', 'run', found)
    if (outcome.status === 'rejected') outcome.jobId ??= settled.job_id
    outcomes.push(outcome)
  }
}

type Attempt<T> = { value: T } | { reason: unknown }

/** Also of a call that throws, instead of rejecting. */
async function attempt<T>(call: () => PromiseLike<T>): Promise<Attempt<T>> {
  try {
    return { value: await call() }
  } catch (reason) {
    return { reason }
  }
}

function toOutcome(key: string, phase: Phase, run: Attempt<RunResult>): Outcome {
  if ('reason' in run) return { key, phase, status: 'rejected', reason: run.reason, jobId: Object(run.reason).jobId }
  const { job_id: jobId, output } = run.value
  return { key, phase, status: 'fulfilled', jobId, urls: output?.items?.map(({ url }) => url) ?? [] }
}
