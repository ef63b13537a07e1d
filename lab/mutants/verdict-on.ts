import { CannotStartError, type ConformanceOptions } from '../../packages/conformance/src/options.ts'
import type { ConformanceReport } from '../../packages/conformance/src/report.ts'
import { runConformance } from '../../packages/conformance/src/run-conformance.ts'
import { createReferenceService } from '../../packages/conformance/test/reference-service.ts'
import { type Mutation, mutatedFetch } from './mutation.ts'

/** Shorter than a user's, so that a service which never ends a job or never delivers costs little. */
const LIMITS = { jobMs: 150_000, deliveryMs: 20_000, quietMs: 5_000 }

/**
 * Lets the whole suite judge a service with this mutation.
 *
 * @returns ids of the checks that failed. When no model can be run, they are those that need no runs: a user who reads
 *   "The suite cannot start" starts with these.
 */
export async function failedChecks(mutation: Mutation): Promise<string[]> {
  const { results } = await judge(mutation, {}).catch((error: unknown) => {
    if (error instanceof CannotStartError) return judge(mutation, { allowRuns: false })
    throw error
  })
  return results.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check)
}

async function judge(mutation: Mutation, more: Partial<ConformanceOptions>): Promise<ConformanceReport> {
  const { tamper } = mutation
  const service = createReferenceService(tamper === undefined ? {} : { tamper })
  return runConformance({
    ...service.options,
    fetch: mutatedFetch(service, mutation),
    limits: LIMITS,
    ...mutation.options?.(service),
    ...more,
  })
}
