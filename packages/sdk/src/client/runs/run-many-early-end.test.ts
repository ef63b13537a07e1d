import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { type Simulation, simulateJobs } from '../../../test/simulated-jobs.ts'
import { API_KEY, BASE_URL } from '../../../test/test-client.ts'
import { ModelRun } from '../client.ts'
import type { RunManyOptions, RunManyProgress } from './run-many-options.ts'

type Prompt = { prompt: string }

function setup(simulation: Omit<Simulation, 'clock'> = {}) {
  const clock = createManualClock()
  const service = simulateJobs({ clock, ...simulation })
  const client = new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL, fetch: service.fetch, clock, logLevel: 'off' })
  const steps: RunManyProgress[] = []
  const onProgress = (step: RunManyProgress) => void steps.push(step)
  const run = (inputs: Iterable<Prompt> | AsyncIterable<Prompt>, options: RunManyOptions = {}) =>
    client.runMany('aurora-image', inputs, { onProgress, ...options })
  return { clock, service, run, steps }
}

describe('a loop over runs that is left', () => {
  test('stops the polls of its jobs when the loop is left, also of one that was being submitted', async () => {
    const { clock, run, steps } = setup({
      latencyMs: 2_000,
      endsAt: (id) => (id === 'job_0' ? 0 : Number.POSITIVE_INFINITY),
    })
    async function* slow() {
      yield { prompt: 'one' }
      yield { prompt: 'two' }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 4_000))
      yield { prompt: 'three' }
    }
    const loop = async () => {
      for await (const _ of run(slow())) break
    }
    await clock.run(loop())
    const submitted = () => steps.filter(({ step }) => step === 'submitted').length
    expect(submitted()).toBe(2)
    await clock.advance(60_000)
    expect(submitted()).toBe(3)
    expect(clock.timerCount).toBe(0)
  })

  test('closes the source when the loop is left, and keeps no listener on the signal', async () => {
    const { clock, run } = setup()
    const { signal } = new AbortController()
    let isClosed = false
    async function* endless() {
      try {
        for (let number = 0; ; number++) yield { prompt: `fox ${number}` }
      } finally {
        isClosed = true
      }
    }
    const loop = async () => {
      for await (const _ of run(endless(), { signal })) break
    }
    await clock.run(loop())
    await clock.advance(60_000)
    expect(isClosed).toBe(true)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('runs no input that comes after that', async () => {
    const { clock, run, service } = setup()
    let give = (_: IteratorResult<Prompt>) => {}
    const late = new Promise<IteratorResult<Prompt>>((resolve) => {
      give = resolve
    })
    const results = [{ done: false as const, value: { prompt: 'first' } }, late]
    const source = { next: async () => (await results.shift()) ?? { done: true as const, value: undefined } }
    const loop = async () => {
      for await (const _ of run({ [Symbol.asyncIterator]: () => source })) break
    }
    await clock.run(loop())
    give({ done: false, value: { prompt: 'second' } })
    await clock.advance(60_000)
    expect(service.submitted).toHaveLength(1)
  })
})
