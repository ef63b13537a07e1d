import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { gate } from '../../../test/test-inbox.ts'
import { openMemoryEngine as open } from '../../../test/test-memory-engine.ts'

describe('a worker', () => {
  test('runs so many tasks at once', async () => {
    const { opened, open: finish } = gate()
    const { engine, runs, recorded } = open()
    engine.work(
      'q',
      recorded(() => opened),
      { concurrency: 3 },
    )
    for (let n = 0; n < 10; n++) await engine.add('q', `${n}`, { data: null })
    await settle()
    expect(runs).toHaveLength(3)
    finish()
    await settle()
    expect(runs).toHaveLength(10)
  })

  test('frees the place of a handler after `maxRunMs`: its signal aborts, and it has failed', async () => {
    const { clock, engine, recorded, runs } = open()
    const signals: AbortSignal[] = []
    const handler = recorded(({ id, signal }) => {
      if (id !== 'stuck') return undefined
      signals.push(signal)
      return new Promise(() => {})
    })
    engine.work('q', handler, { concurrency: 1, maxRunMs: 10_000, attempts: 1 })
    for (const id of ['stuck', 'next']) await engine.add('q', id, { data: null })
    await clock.advance(9_999)
    expect(runs).toHaveLength(1)
    await clock.advance(1)
    expect([runs.at(-1), signals[0]?.aborted]).toEqual([['next', 10_000], true])
    await expect(engine.get('q', 'stuck')).resolves.toMatchObject({ state: 'dead' })
  })

  test('keeps a rate, in any second', async () => {
    const { clock, engine, recorded, times } = open()
    engine.work('q', recorded(), { rate: { max: 5, perMs: 1_000 } })
    for (let n = 0; n < 12; n++) await engine.add('q', `${n}`, { data: null })
    await clock.advance(5_000)
    expect(times()).toEqual([0, 0, 0, 0, 0, 1_000, 1_000, 1_000, 1_000, 1_000, 2_000, 2_000])
  })

  test('that is stopped starts nothing more, and waits for what runs; another one continues', async () => {
    const { opened, open: finish } = gate()
    const { engine, runs, recorded } = open()
    const worker = engine.work(
      'q',
      recorded(() => opened),
      { concurrency: 1 },
    )
    for (const id of ['a', 'b']) await engine.add('q', id, { data: null })
    await settle()
    const stopped = vi.fn()
    void worker.stop().then(stopped)
    await settle()
    expect(stopped).not.toHaveBeenCalled()
    finish()
    await settle()
    expect([stopped.mock.calls.length, runs.length]).toEqual([1, 1])
    engine.work('q', recorded())
    await settle()
    expect(runs.map(([id]) => id)).toEqual(['a', 'b'])
  })
})
