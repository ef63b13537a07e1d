import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { latencyMs } from './plan-job.ts'

const MODEL = 'aurora-image' // 4 s

async function durations(latency: object | number, seed = 1): Promise<unknown[]> {
  const server = createReferenceServer({ clock: 'auto', latency: latency as number, seed }) // wrong ones are tested too
  const caller = apiCaller(server)
  const durations: unknown[] = []
  for (let run = 0; run < 5; run++) durations.push((await caller.run(MODEL)).body.duration_ms)
  return durations
}

describe('latency', () => {
  it('is spread so that half of the runs are below the median and 19 of 20 below the 95th percentile', () => {
    const times = Array.from({ length: 4_000 }, (_, seed) => latencyMs({ p50Ms: 1_000, p95Ms: 4_000 }, seed * 7_919))
    const below = (limit: number) => times.filter((time) => time <= limit).length / times.length
    expect(below(1_000)).toBeCloseTo(0.5, 1)
    expect(below(4_000)).toBeGreaterThan(0.94)
    expect(below(4_000)).toBeLessThan(0.96)
    expect(times.every((time) => Number.isInteger(time) && time >= 0)).toBe(true)
  })

  it('is exact when both percentiles are the same', () => {
    expect(latencyMs({ p50Ms: 70, p95Ms: 70 }, 5)).toBe(70)
  })

  it('of one model is what the option says, and of the others what the catalog says', async () => {
    expect(await durations({ [MODEL]: 1_500 })).toEqual([1_500, 1_500, 1_500, 1_500, 1_500])
    expect(await durations({ 'lumen/aurora-video': 1_500 })).toEqual([4_000, 4_000, 4_000, 4_000, 4_000])
  })

  it('of all models can be set at once', async () => {
    expect(await durations(0)).toEqual([0, 0, 0, 0, 0])
  })

  it('differs from run to run and repeats itself with the seed', async () => {
    const spread = { [MODEL]: { p50Ms: 1_000, p95Ms: 3_000 } }
    const times = await durations(spread)
    expect(new Set(times).size).toBe(5)
    expect(await durations(spread)).toEqual(times)
    expect(await durations(spread, 2)).not.toEqual(times)
  })

  it.each([
    [{ [MODEL]: -1 }, /latency.*aurora-image: It must be 0 or more/],
    [{ p50Ms: 5, p95Ms: 4 }, 'p95Ms must not be below p50Ms'],
    [{ p50Ms: 5 }, '/p95Ms is missing'],
    [{ 'aurora-imag': 5 }, 'aurora-imag: The catalog has no such model. Did you mean aurora-image?'],
    [Number.NaN, 'latency'],
  ])('rejects %j', async (latency, message) => {
    await expect(durations(latency)).rejects.toThrow(message)
  })
})
