import { expect, test } from 'vitest'
import { describeCell, runCells, sampleCells } from './matrix.ts'

/** `npm run matrix` runs all of them. */
const SAMPLE = { seed: 23, count: 60 }

/** Known and not repaired yet: a row of a batch whose response has an output and an empty `job_id` waits for ever. */
const OPEN_DEFECT = /shape: empty id .* \/ batch$/m

test('keeps every promise in a sample of the matrix', async () => {
  const { broken } = await runCells(sampleCells(SAMPLE.seed, SAMPLE.count))
  expect(broken.map(describeCell).filter((cell) => !OPEN_DEFECT.test(cell))).toEqual([])
})
