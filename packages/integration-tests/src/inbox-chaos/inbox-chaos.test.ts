import { describe, expect, it } from 'vitest'
import { needs } from '../services/programs.ts'
import type { ViolationKind } from './audit.ts'
import { CHAOS } from './fate.ts'
import { faultOf } from './faulty-store.ts'
import { describeViolations } from './report.ts'
import { runChaos } from './run-chaos.ts'
import { sendSimultaneously } from './send-simultaneously.ts'
import { STORES, withStore } from './with-store.ts'

/** Less than a tenth of `npm run chaos`. */
const JOBS = 300

const TIMEOUT_MS = 300_000

/** Another one each time, and told when it fails. */
const seed = Math.floor(Math.random() * 1_000_000)

describe.each([...STORES])('an inbox on %s', (kind, programs) => {
  const { isMissing, note } = needs(...programs)

  it.skipIf(isMissing)(
    `loses no job and completes none twice while its processes are killed, stall and throw${note}`,
    { timeout: TIMEOUT_MS },
    async () => {
      const result = await withStore(kind, (store) => runChaos({ store, jobs: JOBS, seed }))
      expect(describeViolations(kind, result)).toBeUndefined()
      // Else nothing was tried.
      expect(result.deaths).toBeGreaterThan(0.05 * JOBS)
      expect(result.dropped).toBeGreaterThan(0.1 * JOBS)
      expect(result.reconciled).toBeGreaterThanOrEqual(result.dropped)
      expect(result.staleRefused).toBeGreaterThan(0)
    },
  )

  it.skipIf(isMissing)(
    `runs its handler once for 1,000 simultaneous deliveries of one job${note}`,
    { timeout: TIMEOUT_MS },
    async () => {
      const { accepted, runs } = await withStore(kind, (store) => sendSimultaneously({ store, seed, count: 1_000 }))
      expect(accepted).toBeGreaterThan(0)
      expect(runs).toBe(1)
    },
  )
})

it('catches a store that is wrong, at each of its faults', { timeout: TIMEOUT_MS }, async () => {
  // Those who stall complete what is another's by then: with few of them, that fault might not show.
  const rates = { ...CHAOS, stall: 0.3 }
  const run = { jobs: 120, seed, rates, isFaulty: true, patienceMs: 3_000 }
  const result = await withStore('sqlite', (store) => runChaos({ store, ...run }))
  const faultsThatShowAs = (kind: ViolationKind) =>
    result.violations.filter((found) => found.kind === kind).map(({ job }) => faultOf(job))
  expect(faultsThatShowAs('overlap')).toContain('short_leases')
  expect(faultsThatShowAs('completed_twice')).toContain('any_completion')
  expect(faultsThatShowAs('lost')).toContain('set_nx')
  expect(describeViolations('sqlite', result)).toContain(`seed ${seed}`)
})
