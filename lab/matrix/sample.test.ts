import { expect, test } from 'vitest'
import { describeCell, runCells, sampleCells } from './matrix.ts'
import { withoutOpenDefects } from './open-defects.ts'

/** `npm run matrix` runs all of them. */
const SAMPLE = { seed: 23, count: 60 }

test('keeps every promise in a sample of the matrix', { timeout: 120_000 }, async () => {
  const { broken } = await runCells(sampleCells(SAMPLE.seed, SAMPLE.count))
  const news = broken.map(withoutOpenDefects).filter((cell) => cell.broken.length > 0)
  expect(news.map(describeCell)).toEqual([])
})
