import { expect, test } from 'vitest'
import { describeCell, runCells, sampleCells } from './matrix.ts'

/** `npm run matrix` runs all of them. */
const SAMPLE = { seed: 23, count: 60 }

test('keeps every promise in a sample of the matrix', async () => {
  const { broken } = await runCells(sampleCells(SAMPLE.seed, SAMPLE.count))
  expect(broken.map(describeCell)).toEqual([])
})
