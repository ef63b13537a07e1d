import { expect, test } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import type { Runs } from './runs-options.ts'

useVirtualTime()

const DAY_MS = 86_400_000

async function addAndFinish(runs: Runs, keys: readonly string[]): Promise<void> {
  for (const key of keys) await runs.add(key, MODEL, { prompt: key })
  for await (const _ of runs.results());
}

test('a batch is deleted by its exact name, and its keys are new ones then', async () => {
  const { runs, reopen, sent } = await openBatch({ name: 'week_1' })
  const other = reopen({ name: 'week-1' })
  for (const batch of [runs, other]) {
    batch.start()
    await settled(addAndFinish(batch, ['a', 'b']))
  }
  expect(await settled(runs.delete({ all: true }))).toEqual({ deleted: 2, kept: 0 })
  expect(await settled(runs.get('a'))).toBeUndefined()
  expect(await settled(runs.progress())).toMatchObject({ total: 0, done: 0, credits: 0 })
  expect(await settled(other.progress())).toMatchObject({ total: 2, succeeded: 2, credits: 8 })
  await settled(addAndFinish(runs, ['a']))
  expect(sent).toEqual(['a', 'b', 'a', 'b', 'a'])
  for (const batch of [runs, other]) await settled(batch.stop())
})

test('runs are deleted by state and age, and those under way stay', async () => {
  const { server, runs } = await openBatch({ jobMs: 60_000 })
  server.script(MODEL, [{ result: 'failed', after_ms: 0 }])
  runs.start()
  await settled(addAndFinish(runs, ['failed', 'old', 'older']))
  await settled(runs.stop())
  await pass(2 * DAY_MS)
  runs.start()
  await settled(addAndFinish(runs, ['new']))
  await settled(runs.add('under way', MODEL, { prompt: 'x' }))
  await pass(5_000)
  expect(await settled(runs.delete({ state: 'succeeded', olderThanMs: DAY_MS }))).toEqual({ deleted: 2, kept: 0 })
  expect(await settled(runs.progress())).toMatchObject({ total: 3, succeeded: 1, failed: 1, running: 1 })
  expect(await settled(runs.delete({ all: true }))).toEqual({ deleted: 2, kept: 1 })
  expect(await settled(runs.get('under way'))).toMatchObject({ state: 'running' })
  await settled(runs.stop())
})

test('no worker takes the mark of the deletion of a run that was cancelled before it was sent', async () => {
  const { runs, engine } = await openBatch()
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  await settled(runs.cancel('a'))
  const { guardedBy } = engine
  engine.guardedBy = (guard) => {
    const { remove, ...guarded } = guardedBy(guard)
    const removeLater: typeof remove = (queue, id) => {
      if (queue === 'runs:cancels') void engine.once('runs:submit', () => pass(5_000).then(() => null), { id })
      return remove(queue, id)
    }
    return { ...guarded, remove: removeLater }
  }
  expect(await settled(runs.delete({ all: true }))).toEqual({ deleted: 1, kept: 0 })
})

test('a deletion names what it deletes', async () => {
  const { runs } = await openBatch()
  // @ts-expect-error -- what JavaScript allows
  await expect(settled(runs.delete({ all: true, state: 'failed' }))).rejects.toThrow(/needs/)
  // @ts-expect-error -- what JavaScript allows
  await expect(settled(runs.delete({ all: true, olderThanMs: 1 }))).rejects.toThrow(/needs/)
  // @ts-expect-error -- what JavaScript allows
  await expect(settled(runs.delete({ state: 'failed' }))).rejects.toThrow(/needs `\{ all: true \}`, or/)
})
