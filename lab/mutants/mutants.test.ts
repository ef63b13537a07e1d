import { describe, expect, it } from 'vitest'
import { REQUIREMENTS } from '../../packages/conformance/src/requirements.ts'
import { ALL_MUTANTS } from './all-mutants.ts'
import { failedChecks } from './verdict-on.ts'

it('there are more than 600 services that break one rule, and no two break the same', () => {
  const names = ALL_MUTANTS.map(({ breaks }) => breaks)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(names.length).toBeGreaterThan(600)
})

it('every check of what the specification states fails for a mutant that was made for it', () => {
  const caught = ALL_MUTANTS.map(({ check }) => check)
  const uncaught = REQUIREMENTS.filter(({ level, check }) => level === 'must' && !caught.includes(check))
  expect(uncaught.map(({ id, check }) => `${id} ${check}`)).toEqual([])
})

it('without a mutation, the way through the mutants is clean', async () => {
  expect(await failedChecks({})).toEqual([])
})

/** Concurrent, as a run of the suite waits for the silent receiver most of the time. */
describe.concurrent('a service that breaks one rule', () => {
  it.each(ALL_MUTANTS)('and $breaks fails $check', async ({ check, mutation }) => {
    expect(await failedChecks(mutation)).toContain(check)
  })
})
