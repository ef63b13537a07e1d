import { expect, test, vi } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { openProcesses } from '../../test/processes.ts'

useVirtualTime()

const FAILING = {
  throws: () => {
    throw new Error('the alarm')
  },
  rejects: async () => {
    throw new Error('the alarm')
  },
}

test.each(['throws', 'rejects'] as const)('a callback that %s is warned of, and changes nothing', async (how) => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const callback = FAILING[how]
  const batch = await openBatch({ onPause: callback, onEnd: callback, onError: callback })
  Object.assign(batch.outage, { status: 402, method: 'POST' })
  batch.runs.start()
  await settled(batch.runs.add('a', MODEL, { prompt: 'a' }))
  await pass(5_000)
  expect([batch.sent, (await settled(batch.runs.read('a'))).state]).toEqual([['a'], 'waiting'])
  batch.outage.status = undefined
  await pass(60_000)
  expect((await settled(batch.runs.read('a'))).state).toBe('succeeded')
  expect(warn.mock.calls.map(([line]) => line)).toEqual(
    ['onPause', 'onEnd'].map((name) => `The callback \`${name}\` of @modelrun/durable failed: Error: the alarm`),
  )
  await settled(batch.runs.stop())
})

test.each([
  ['pause', 'add runs:paused'],
  ['pause', 'pause runs:submit'],
  ['resume', 'resume runs:submit'],
  ['resume', 'remove runs:paused'],
] as const)('a process that dies in %s, at %s, leaves a batch that says whether it sends', async (call, at) => {
  for (const fault of ['dies before', 'dies after'] as const) {
    const { open, posts } = await openProcesses()
    const [first, other] = [open(), open()]
    await settled(other.runs.add('a', MODEL, { prompt: 'a' }))
    if (call === 'resume') await settled(other.runs.pause())
    first.faults = { store: (change) => (change === at ? fault : undefined) }
    void first.runs[call]()
    await pass(100)
    const { isPaused } = await settled(other.runs.progress())
    await settled(other.runs.sweep({ forMs: 5_000 }))
    expect([fault, posts.a !== undefined]).toEqual([fault, !isPaused])
  }
})
