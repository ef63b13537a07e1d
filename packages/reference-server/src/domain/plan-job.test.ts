import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { planJob } from './job.ts'

const created = { latencyMs: 4_000, createdAt: 1_000 }

describe('plan of a job', () => {
  it('succeeds after the queue and the latency of the model', () => {
    expect(planJob({ ...created, script: undefined, queuedMs: 200 })).toEqual({
      processingAt: 1_200,
      provider: { endsAt: 5_200, afterReads: 0, status: 'succeeded', output: undefined, error: undefined },
    })
  })

  it('ends when a script says, counted from the creation', () => {
    const script = { result: 'failed', after_ms: 50, error: { code: 'NSFW', message: 'No.' } } as const
    expect(planJob({ ...created, script, queuedMs: 200 })).toEqual({
      processingAt: 1_050,
      provider: { endsAt: 1_050, afterReads: 0, status: 'failed', output: undefined, error: script.error },
    })
  })

  it('waits for reads of the status instead of time, or for both', () => {
    const byReads = planJob({ ...created, script: { result: 'succeeded', after_polls: 2 }, queuedMs: 0 })
    expect(byReads.provider).toMatchObject({ endsAt: 1_000, afterReads: 2 })
    const byBoth = planJob({ ...created, script: { result: 'succeeded', after_polls: 2, after_ms: 70 }, queuedMs: 0 })
    expect(byBoth.provider).toMatchObject({ endsAt: 1_070, afterReads: 2 })
  })

  it('never ends when it hangs', () => {
    const plan = planJob({ ...created, script: { result: 'hang' }, queuedMs: 200 })
    expect(plan).toMatchObject({ processingAt: 1_200, provider: { endsAt: undefined } })
  })
})

const MODEL = 'aurora-image' // 4 s

async function durations(latency: object | number, seed = 1): Promise<unknown[]> {
  const server = createReferenceServer({ clock: 'auto', latency: latency as number, seed }) // wrong ones are tested too
  const caller = apiCaller(server)
  const durations: unknown[] = []
  for (let run = 0; run < 5; run++) durations.push((await caller.run(MODEL)).body.duration_ms)
  return durations
}

describe('latency', () => {
  it('of one model is what the option says, and of the others what the catalog says', async () => {
    expect(await durations({ [MODEL]: 1_500 })).toEqual([1_500, 1_500, 1_500, 1_500, 1_500])
    expect(await durations({ 'lumen/aurora-video': 1_500 })).toEqual([4_000, 4_000, 4_000, 4_000, 4_000])
  })

  it('of all models can be set at once', async () => {
    expect(await durations(0)).toEqual([0, 0, 0, 0, 0])
  })

  it.each([
    [{ [MODEL]: -1 }, 'latency'],
    [{ 'aurora-imag': 5 }, 'There is no model "aurora-imag". Did you mean aurora-image?'],
    [Number.NaN, 'latency'],
  ])('rejects %j', async (latency, message) => {
    await expect(durations(latency)).rejects.toThrow(message)
  })
})
