import { CannotStartError, type ConformanceOptions } from '../../packages/conformance/src/options.ts'
import type { CheckResult } from '../../packages/conformance/src/report.ts'
import { runConformance } from '../../packages/conformance/src/run-conformance.ts'
import { createReferenceService } from '../../packages/conformance/test/reference-service.ts'
import { type Mutation, mutatedFetch } from './mutation.ts'

/** Shorter than a user's, so that a service which never ends a job or never delivers costs little. */
const LIMITS = { jobMs: 150_000, deliveryMs: 20_000, quietMs: 5_000 }

/** Ends a run of the suite: what is wanted was seen. */
class Noticed extends Error {}

/**
 * Lets the whole suite judge a service with this mutation, until a check fails, or the one that is named.
 *
 * @returns ids of the checks that failed. When no model can be run, they are those that need no runs: a user who reads
 *   "The suite cannot start" starts with these.
 */
export async function failedChecks(mutation: Mutation, wanted?: string): Promise<string[]> {
  const failed: string[] = []
  const onResult = ({ check, verdict }: CheckResult) => {
    if (verdict === 'fail') failed.push(check)
    if (verdict === 'fail' && (wanted ?? check) === check) throw new Noticed()
  }
  await judge(mutation, { onResult })
    .catch((error: unknown) => {
      if (error instanceof CannotStartError) return judge(mutation, { onResult, allowRuns: false })
      throw error
    })
    .catch((error: unknown) => {
      if (!(error instanceof Noticed)) throw error
    })
  return failed
}

async function judge(mutation: Mutation, more: Partial<ConformanceOptions>): Promise<void> {
  const { tamper } = mutation
  const service = createReferenceService(tamper === undefined ? {} : { tamper })
  await runConformance({
    ...service.options,
    fetch: mutatedFetch(service, mutation),
    limits: LIMITS,
    ...mutation.options?.(service),
    ...more,
  })
}
