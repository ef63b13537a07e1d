import { ModelRun } from 'modelrun'
import { describe, expect, it } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { openProcesses, type Process } from '../../test/processes.ts'
import { createRuns } from './create-runs.ts'

useVirtualTime()

const all = <Value>(work: readonly Promise<Value>[]) => settled(Promise.all(work))

describe('a sweep', () => {
  it('of three at once sends each run once, and reports what ended', async () => {
    const { open, posts } = await openProcesses(1_000)
    const ended: string[] = []
    const processes = Array.from({ length: 3 }, () =>
      open({ onEnd: ({ key, state }) => ended.push(`${key} ${state}`) }),
    )
    const keys = Array.from({ length: 32 }, (_, index) => `k${index}`)
    await all(keys.map((key) => (processes[0] as Process).runs.add(key, MODEL, { prompt: key })))
    await all(processes.map(({ runs }) => runs.sweep({ forMs: 30_000 })))
    expect(Object.values(posts)).toEqual(keys.map(() => 1))
    expect(ended.toSorted()).toEqual(keys.map((key) => `${key} succeeded`).toSorted())
  })

  it.each([
    { title: 'a job that takes long', jobMs: 18_000, isPaused: false, mostMs: 3_000 },
    { title: 'a paused batch', jobMs: 0, isPaused: true, mostMs: 1_000 },
  ])('does not idle for $title', async ({ jobMs, isPaused, mostMs }) => {
    const process = (await openProcesses(jobMs)).open()
    await settled(process.runs.add('a', MODEL, { prompt: 'a' }))
    if (isPaused) await settled(process.runs.pause())
    let isOver = false
    const sweep = process.runs.sweep({ forMs: 60_000 }).then(() => {
      isOver = true
    })
    await pass(mostMs)
    expect(isOver).toBe(true)
    await sweep
  })

  it.each([
    ['GET price', 'models', 10_000],
    ['GET job', 'jobs', 10_000],
    ['POST', 'run', 30_000],
  ])('ends in time while each %s stalls, as a read does', async (_, name, mostMs) => {
    const { server, engine, runs } = await openBatch({ jobMs: 120_000 })
    const options = server.clientOptions()
    const stalls = new RegExp(name === 'models' ? '/models/[^/]*$' : `/${name}(/|$)`)
    const fetch: typeof globalThis.fetch = (url, init) =>
      stalls.test(String(url)) ? new Promise(() => {}) : options.fetch(url, init)
    const client = new ModelRun({ ...options, clock: undefined, fetch, timeoutMs: 30_000 })
    await settled(runs.send('a', MODEL, { prompt: 'a' }))
    await settled(runs.add('b', MODEL, { prompt: 'b' }))
    const stalled = createRuns({ engine, client })
    const took = async (work: Promise<unknown>) => {
      const startedAt = performance.now()
      await settled(work)
      return performance.now() - startedAt
    }
    expect(await took(stalled.sweep({ forMs: 10_000 }))).toBeLessThanOrEqual(mostMs)
    await pass(60_000)
    expect(await took(stalled.read('a', { isHinted: true }))).toBeLessThanOrEqual(30_000)
  })

  it('of 200 due runs ends when its time is over, and says what is left', async () => {
    const process = (await openProcesses(1_000)).open({ submitRate: { max: 10, perMs: 1_000 } })
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`)
    await all(keys.map((key) => process.runs.add(key, MODEL, { prompt: key })))
    const sweep = process.runs.sweep({ forMs: 10_000 })
    await pass(11_000)
    const { total, waiting, running, done } = await settled(sweep)
    expect([total, waiting + running + done]).toEqual([200, 200])
    expect(waiting).toBeGreaterThan(80)
    expect(done).toBeGreaterThan(50)
  })
})
