import { expect, it } from 'vitest'
import { AccountFaults, type FaultTarget } from './account-faults.ts'

const run: FaultTarget = { endpoint: 'runModel', model: 'a', input: undefined }

/** Which of 200 runs get the fault. */
function faultyRuns(seed: number, probability: number): number[] {
  const faults = new AccountFaults(seed)
  faults.add({ kind: 'reset', probability })
  return Array.from({ length: 200 }, (_, index) => index).filter(() => faults.take(run) !== undefined)
}

it('AccountFaults is applied to its share of the requests, the same ones for the same seed', () => {
  expect(faultyRuns(7, 0.3).length).toBeGreaterThan(40)
  expect(faultyRuns(7, 0.3).length).toBeLessThan(80)
  expect(faultyRuns(7, 0.3)).toEqual(faultyRuns(7, 0.3))
  expect(faultyRuns(8, 0.3)).not.toEqual(faultyRuns(7, 0.3))
})
