import { expect, it } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import type { Runs } from './runs-options.ts'

useVirtualTime()

const send = (runs: Runs, key: string) => settled(runs.send(key, MODEL, { prompt: key }))

/** Calls `send` as a workflow does, until the run has ended. */
async function loop(runs: Runs, key: string) {
  for (let calls = 1; ; calls += 1) {
    const run = await runs.send(key, MODEL, { prompt: key })
    if (run.afterMs === undefined) return { run, calls }
    await new Promise((resolve) => setTimeout(resolve, run.afterMs))
  }
}

it('sends a run once, and returns its end', async () => {
  const { runs, sent } = await openBatch({ jobMs: 2_000 })
  expect(await send(runs, 'a')).toMatchObject({ key: 'a', state: 'running', jobId: expect.any(String), afterMs: 500 })
  expect(await settled(loop(runs, 'a'))).toMatchObject({ run: { state: 'succeeded', output: expect.anything() } })
  expect(sent).toEqual(['a'])
  expect(await settled(runs.read('a'))).toMatchObject({ state: 'succeeded' })
})

it('sweeps a batch to its end', async () => {
  const { runs, sent } = await openBatch({ jobMs: 1_000 })
  for (const key of ['a', 'b']) await runs.add(key, MODEL, { prompt: key })
  expect(await settled(runs.sweep())).toMatchObject({ done: 2, succeeded: 2 })
  expect(sent.toSorted()).toEqual(['a', 'b'])
  await pass(10)
})

it('60 loops at 10 polls a second make at most 4 calls a run', async () => {
  const { runs, sent } = await openBatch({ jobMs: 300 })
  const keys = Array.from({ length: 60 }, (_, index) => `k${index}`)
  const ended = await settled(Promise.all(keys.map((key) => loop(runs, key))))
  const calls = ended.reduce((sum, one) => sum + one.calls, 0)
  expect(ended.every(({ run }) => run.state === 'succeeded')).toBe(true)
  expect(calls / keys.length).toBeLessThanOrEqual(4)
  expect(sent.length).toBe(60)
})
