import { describe, expect, it } from 'vitest'
import { REQUIREMENTS, requirementsOf } from '../requirements.ts'
import { runConformance } from '../run-conformance.ts'
import { createReferenceService } from '../test-kit/reference-service.ts'
import { AUTH_MUTANTS } from './auth-mutants.ts'
import { DELIVERY_MUTANTS } from './delivery-mutants.ts'
import { DETAILS_MUTANTS } from './details-mutants.ts'
import { JOB_MUTANTS } from './job-mutants.ts'
import { LIST_MUTANTS } from './list-mutants.ts'
import { type Mutant, mutatedFetch } from './mutation.ts'
import { RUN_MUTANTS } from './run-mutants.ts'

const ALL = [LIST_MUTANTS, DETAILS_MUTANTS, AUTH_MUTANTS, RUN_MUTANTS, JOB_MUTANTS, DELIVERY_MUTANTS].flat()

const MUTANTS = ALL.map((mutant) => ({
  ...mutant,
  requirements: requirementsOf(mutant.check)
    .map(({ id }) => id)
    .join(', '),
}))

async function verdictOn({ check, mutation }: Mutant) {
  const { tamper } = mutation
  const service = createReferenceService(tamper === undefined ? {} : { tamper })
  const { results } = await runConformance({
    ...service.options,
    fetch: mutatedFetch(service, mutation),
    ...mutation.options?.(service),
    only: [check],
  })
  return results.map(({ verdict }) => verdict)
}

describe('a service that breaks one rule', () => {
  it.each(MUTANTS)('and $breaks fails $requirements ($check)', async (mutant) => {
    expect(await verdictOn(mutant)).toEqual(['fail'])
  })

  it('breaks every rule that the specification states', () => {
    const caught = MUTANTS.map(({ check }) => check)
    const uncaught = REQUIREMENTS.filter(({ level, check }) => level === 'must' && !caught.includes(check))
    expect(uncaught.map(({ id, check }) => `${id} ${check}`)).toEqual([])
  })

  it('is the only thing that fails: without a mutation the way through the mutants is clean', async () => {
    const service = createReferenceService()
    const { results } = await runConformance({ ...service.options, fetch: mutatedFetch(service, {}) })
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })
})
