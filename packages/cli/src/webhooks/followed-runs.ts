import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../ledger/ledger.ts'

/** A job whose end is delivered. */
export interface FollowedRun {
  jobId: string
  /** Price of the run, when the ledger has it. */
  credits: number | undefined
}

const READ_EVERY_MS = 500

/** The jobs with these ids; without ids, those that continue and those that start while the loop lasts. */
export async function* followedRuns(
  ids: readonly string[],
  { ledger, baseUrl, signal }: { ledger: Ledger; baseUrl: string; signal: AbortSignal },
): AsyncGenerator<FollowedRun> {
  if (ids.length > 0) {
    for (const jobId of new Set(ids)) yield { jobId, credits: ledger.findJob(jobId)?.credits }
    return
  }
  const seen = new Set(
    ledger
      .read()
      .filter(({ status }) => status !== 'running' && status !== 'intent')
      .map(({ run }) => run),
  )
  while (!signal.aborted) {
    for (const { run, job_id, credits, base_url } of ledger.read()) {
      if (seen.has(run) || job_id === undefined || base_url !== baseUrl) continue
      seen.add(run)
      yield { jobId: job_id, credits }
    }
    await sleep(READ_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
