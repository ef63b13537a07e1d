import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { caught } from '../../../test/caught.ts'
import { collect } from '../../../test/collect.ts'
import { createSimulatedClient, type Simulation } from '../../../test/simulated-jobs.ts'
import { AbortedError, ConnectionError } from '../errors/transport-errors.ts'
import type { RunManyOptions, RunManyProgress, SettledRun } from './run-many-options.ts'

type Prompt = { prompt: string }

const prompts = (count: number): Prompt[] => Array.from({ length: count }, (_, index) => ({ prompt: `fox ${index}` }))

/** `breakOn`: numbers of the submissions, from 0, whose connection breaks before the service gets them. */
function setup(simulation: Omit<Simulation, 'clock'> = {}, breakOn: readonly number[] = []) {
  const { client: simulated, ...harness } = createSimulatedClient(simulation)
  let submissions = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method === 'POST' && breakOn.includes(submissions++)) throw new TypeError('fetch failed')
    return await harness.service.fetch(input, init)
  }
  const client = simulated.withOptions({ fetch })
  const steps: RunManyProgress[] = []
  const onProgress = (step: RunManyProgress) => void steps.push(step)
  const run = (inputs: Iterable<Prompt> | AsyncIterable<Prompt>, options: RunManyOptions = {}) =>
    client.runMany('aurora-image', inputs, { onProgress, ...options })
  return { ...harness, run, steps }
}

describe('runMany', () => {
  test('runs every input once and yields each run with its input as it ends', async () => {
    const endsAt = (id: string) => (id === 'job_0' ? 20_000 : 5_000)
    const { clock, service, run } = setup({ endsAt })
    const inputs = prompts(3)
    const runs = await clock.run(collect(run(inputs)))
    expect(service.submitted).toHaveLength(3)
    expect(runs.map(({ index }) => index).toSorted()).toEqual([0, 1, 2])
    expect(runs.at(-1)).toMatchObject({ index: 0, job_id: 'job_0', status: 'fulfilled', value: { job_id: 'job_0' } })
    expect(runs.every(({ index, input }) => input === inputs[index])).toBe(true)
  })

  test('has no more runs under way than it may', async () => {
    const { clock, run, steps } = setup({ endsAt: () => 1_000 })
    await clock.run(collect(run(prompts(20), { concurrency: 3 })))
    expect(Math.max(...steps.map(({ started, settled }) => started - settled))).toBe(3)
  })

  test('takes inputs only as their runs start, from an endless source too, and none while results wait', async () => {
    let taken = 0
    function* endless() {
      for (;;) yield { prompt: `fox ${taken++}` }
    }
    const { clock, service, run } = setup()
    const runs = run(endless(), { concurrency: 2 })
    for (let count = 0; count < 3; count++) await clock.run(runs.next())
    await clock.advance(60_000)
    expect(taken).toBeLessThanOrEqual(5)
    expect(service.submitted.length).toBe(taken)
    await runs.return()
    await clock.advance(60_000)
    expect(service.submitted.length).toBe(taken)
  })

  test('takes a source that is slow, and yields what ends meanwhile', async () => {
    const { clock, run } = setup()
    async function* slow() {
      yield { prompt: 'first' }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 3_600_000))
      yield { prompt: 'second' }
    }
    const runs = run(slow())
    const first = await clock.run(runs.next())
    expect(first.value).toMatchObject({ index: 0, status: 'fulfilled' })
    expect(clock.elapsedMs()).toBeLessThan(5_000)
    await expect(clock.run(runs.next())).resolves.toMatchObject({ value: { index: 1 } })
    await expect(clock.run(runs.next())).resolves.toEqual({ done: true, value: undefined })
  })

  test('yields the error of one run, which was never a job, and continues', async () => {
    const { clock, run, service } = setup({}, [1])
    const runs = await clock.run(collect(run(prompts(3), { concurrency: 1 })))
    expect(runs.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const failed = runs[1]
    expect(failed).toMatchObject({ index: 1, job_id: undefined, input: { prompt: 'fox 1' } })
    expect(failed?.status === 'rejected' && failed.reason).toBeInstanceOf(ConnectionError)
    expect(service.submitted).toHaveLength(2)
  })

  test('reports each step with its job, so that it can be stored', async () => {
    const { clock, run, steps } = setup()
    await clock.run(collect(run(prompts(1))))
    expect(steps).toEqual([
      { index: 0, step: 'submitted', job_id: 'job_0', started: 1, settled: 0 },
      { index: 0, step: 'fulfilled', job_id: 'job_0', started: 1, settled: 1 },
    ])
  })

  test.each(['[[1,"job_old"]]', '[["1","job_old"]]'])(
    'resumes: jobs that exist are waited for, not run again, also by keys that are text: %s',
    async (entries) => {
      const { clock, run, service } = setup()
      const runs = await clock.run(collect(run(prompts(3), { resume: new Map(JSON.parse(entries)) })))
      expect(service.submitted).toHaveLength(2)
      expect(runs.find(({ index }) => index === 1)).toMatchObject({ job_id: 'job_old', status: 'fulfilled' })
      expect(() => run(prompts(2), { resume: new Map([['first', 'job_old']]) })).toThrow('the indexes of inputs')
    },
  )

  test('ends by its signal, also while the source is silent', async () => {
    const { clock, run } = setup()
    async function* silent(): AsyncGenerator<Prompt> {
      await new Promise(() => {})
    }
    const error = await aborted((signal) => collect(run(silent(), { signal })))
    expect(error.submission).toBe('not_sent')
    expect(error.message).toContain('The runs were aborted')
    expect(clock.timerCount).toBe(0)
  })

  test('yields runs that the signal ended with their jobs, before it throws', async () => {
    const { clock, run } = setup({ endsAt: () => Number.POSITIVE_INFINITY })
    const controller = new AbortController()
    const { signal } = controller
    const runs: SettledRun<Prompt>[] = []
    const failure = caught(collect(run(prompts(2), { signal }), runs), AbortedError)
    await clock.advance(10_000)
    controller.abort('enough')
    expect(await failure).toMatchObject({ submission: 'unknown', jobIds: ['job_0', 'job_1'] })
    expect(runs.map(({ job_id, status }) => `${job_id} ${status}`)).toEqual(['job_0 rejected', 'job_1 rejected'])
  })

  test('starts nothing for a signal that has aborted before, or without inputs', async () => {
    const { run, service } = setup()
    await caught(collect(run(prompts(2), { signal: AbortSignal.abort() })), AbortedError)
    expect(service.submitted).toHaveLength(0)
    await expect(collect(run([]))).resolves.toEqual([])
  })

  test.each<[string, (harness: ReturnType<typeof setup>) => AsyncIterable<SettledRun<Prompt>>]>([
    [
      'the source',
      ({ run }) => {
        function* failing() {
          yield { prompt: 'fox' }
          fail()
        }
        return run(failing())
      },
    ],
    ['onProgress', ({ run }) => run(prompts(1), { onProgress: fail })],
    ['onProgress, when it comes later,', ({ run }) => run(prompts(1), { onProgress: async () => fail() })],
  ])('lets an error of %s through, after the runs under way', async (_, start) => {
    const harness = setup()
    const runs: SettledRun<Prompt>[] = []
    await caught(harness.clock.run(collect(start(harness), runs)), RangeError)
    expect(runs.map(({ status }) => status)).toEqual(['fulfilled'])
    expect(harness.service.submitted).toHaveLength(1)
  })
})

function fail(): never {
  throw new RangeError('a fault of the caller')
}

async function leave(runs: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of runs) break
}

describe('a loop over runs that is left', () => {
  test('stops the polls of its jobs, also of one that was being submitted, which is not lost', async () => {
    const endsAt = (id: string) => (id === 'job_0' ? 0 : Number.POSITIVE_INFINITY)
    const { clock, run, steps, service } = setup({ latencyMs: 2_000, endsAt })
    async function* slow() {
      yield { prompt: 'one' }
      yield { prompt: 'two' }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 4_000))
      yield { prompt: 'three' }
    }
    await clock.run(leave(run(slow())))
    const submitted = () => steps.filter(({ step }) => step === 'submitted').map(({ job_id }) => job_id)
    expect(submitted()).toHaveLength(2)
    await clock.advance(60_000)
    expect(submitted()).toEqual(service.submitted)
    expect([submitted().length, clock.timerCount]).toEqual([3, 0])
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
    await clock.run(leave(run(endless(), { signal })))
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
    await clock.run(leave(run({ [Symbol.asyncIterator]: () => source })))
    give({ done: false, value: { prompt: 'second' } })
    await clock.advance(60_000)
    expect(service.submitted).toHaveLength(1)
  })
})
