import { describe, expect, it } from 'vitest'
import { REQUIREMENTS } from '../../packages/conformance/src/requirements.ts'
import { ALL_MUTANTS } from './all-mutants.ts'
import { SURVIVORS } from './survivors.ts'
import { failedChecks } from './verdict-on.ts'

it('there are more than 300 services that break one rule, and no two break the same', () => {
  const names = ALL_MUTANTS.map(({ breaks }) => breaks)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(names.length).toBeGreaterThan(300)
})

it('fewer than 3 in 100 survive, and each that does is a mutant', () => {
  const names = ALL_MUTANTS.map(({ breaks }) => breaks)
  expect([...SURVIVORS.keys()].filter((name) => !names.includes(name))).toEqual([])
  expect(SURVIVORS.size / names.length).toBeLessThan(0.03)
})

it('every check of what the specification states fails for a mutant that was made for it', () => {
  const caught = ALL_MUTANTS.map(({ check }) => check)
  const uncaught = REQUIREMENTS.filter(({ level, check }) => level === 'must' && !caught.includes(check))
  expect(uncaught.map(({ id, check }) => `${id} ${check}`)).toEqual([])
})

it('without a mutation, the way through the mutants is clean', async () => {
  expect(await failedChecks({})).toEqual([])
})

/**
 * Each mutant meets the whole suite. Those that are not survivors must fail a check, and the one that was made for them
 * among others; those that are must fail none, so that the list of survivors stays true.
 *
 * Concurrent, as a run of the suite waits for the silent receiver most of the time. The time limit is for a busy machine:
 * five runs of the suite share one core.
 */
describe.concurrent('a service that breaks one rule', { timeout: 60_000 }, () => {
  it.each(ALL_MUTANTS)('and $breaks is noticed ($sentence)', async ({ breaks, check, mutation }) => {
    const failed = await failedChecks(mutation, check)
    if (SURVIVORS.has(breaks)) expect(failed).toEqual([])
    else expect(failed).toContain(check ?? failed[0] ?? 'a check that fails')
  })
})
