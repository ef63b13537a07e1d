import { ModelRunError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { FAILURES } from '../../../test/failures.ts'
import { createManualClock } from '../../../test/manual-clock.ts'
import { receiverOf } from '../../../test/receiver.ts'
import { createSimulatedClient } from '../../../test/simulated-jobs.ts'
import type { ModelRunOptions } from '../options.ts'
import type { RunManyOptions, SettledRun } from './run-many-options.ts'

const WAYS = ['throws an error', 'throws what has no text', 'rejects with an error', 'never settles', 'gives nothing']

interface Plugged {
  client?: ModelRunOptions
  options?: RunManyOptions
  inputs?: Iterable<object> | AsyncIterable<object>
}

const promptOf = (index: number) => ({ prompt: `fox ${index}` })
const inputs = [promptOf(0), promptOf(1), promptOf(2)]

/** The third input has a getter in the place of its seed. */
const withGetter = (name: string, get: () => unknown) => [
  ...inputs.slice(0, 2),
  Object.defineProperty(promptOf(2), name, { get, enumerable: true }),
]

const iteratorOf = (next: () => unknown) => ({ [Symbol.asyncIterator]: () => ({ next }) }) as AsyncIterable<object>
/** Every place where a program plugs in code of its own. */
const SYNC_PLACES: Record<string, (fail: () => unknown) => Plugged> = {
  'resume.get': (fail) => ({ options: { resume: { get: fail } as never } }),
  'resume.get of the last input': (fail) => ({
    options: { resume: { get: (index: number) => (index === 2 ? fail() : undefined) } as never },
  }),
  'a getter of an input': (fail) => ({ inputs: withGetter('seed', fail) }),
}

/** The same for code that may be async. A promise in the places above is a wrong value, and of the program alone. */
const PLACES: typeof SYNC_PLACES = {
  onProgress: (fail) => ({ options: { onProgress: fail } }),
  onStatus: (fail) => ({ options: { onStatus: fail } }),
  'the inputs': (fail) => ({ inputs: iteratorOf(fail) }),
  'the end of the inputs': (fail) => ({
    inputs: Object.assign(inputs.values(), { return: fail as never }) as Iterable<object>,
  }),
  'a logger': (fail) => ({
    client: { logger: { debug: fail, info: fail, warn: fail, error: fail }, logLevel: 'debug' },
    options: { onStatus: () => Promise.reject(new Error('out of order')) },
  }),
  'polling.nextDelayMs': (fail) => ({ client: { polling: { nextDelayMs: fail as never } } }),
  'webhook.listen': (fail) => ({ options: receiverOf({ listen: fail }) }),
  'what webhook.listen gives': (fail) => ({ options: receiverOf({ listen: () => fail }) }),
}

/** Runs to the end of the loop, or to what it throws. */
async function runAll({ client, options, inputs: given = inputs }: Plugged) {
  const { clock, service, client: simulated } = createSimulatedClient({}, client)
  const runs: SettledRun<object>[] = []
  const controller = new AbortController()
  const collect = async () => {
    const all = { concurrency: 2, signal: controller.signal, ...options }
    for await (const run of simulated.runMany('aurora-image', given, all)) runs.push(run)
  }
  // Only the abort ends a loop whose inputs never come.
  clock.setTimeout(() => controller.abort(), 700_000)
  const [end] = await clock.run(Promise.allSettled([collect()]))
  return { runs, service, thrown: end.status === 'rejected' ? { error: end.reason as unknown } : undefined }
}

describe('runMany', () => {
  const cells = Object.entries({ ...SYNC_PLACES, ...PLACES }).flatMap(([place, plug]) =>
    WAYS.filter((failure) => place in PLACES || !failure.startsWith('rejects')).map((failure) => {
      return { place, failure, plugged: () => plug(() => FAILURES[failure]?.(createManualClock())) }
    }),
  )

  test.each(cells)('ends, and sends no input twice, when $place $failure', async ({ plugged }) => {
    const { runs, service, thrown } = await runAll(plugged())
    expect(service.submitted.length).toBeLessThanOrEqual(inputs.length)
    expect(new Set(runs.map(({ index }) => index)).size).toBe(runs.length)
    const paid = runs.filter((run) => run.job_id !== undefined)
    // A loop that threw has yielded the runs under way before.
    if (thrown === undefined) expect(runs).toHaveLength(inputs.length)
    expect(paid.length).toBe(service.submitted.length)
  })

  test('throws what the store of an earlier attempt throws, after the runs under way', async () => {
    const broken = new Error('the store is gone')
    const get = (index: number) => {
      if (index === 2) throw broken
      return undefined
    }
    const { runs, service, thrown } = await runAll({ options: { resume: { get } as never } })
    expect(thrown).toMatchObject({ error: { name: 'HookError', cause: broken, submission: 'not_sent' } })
    expect(runs.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(service.submitted).toHaveLength(2)
  })

  test('yields the job of a run whose deadline is over before the wait for it starts', async () => {
    const never = () => new Promise(() => {})
    const { runs, service } = await runAll({ options: { ...receiverOf({ expect: never }), deadlineMs: 500 } })
    expect(service.submitted).toHaveLength(inputs.length)
    for (const run of runs) {
      expect(run).toMatchObject({ status: 'rejected', reason: { name: 'DeadlineExceededError', jobId: run.job_id } })
      expect(run.job_id).toBeDefined()
    }
    expect(runs).toHaveLength(inputs.length)
  })

  test('yields an input that cannot be read as rejected', async () => {
    const unreadable = withGetter('seed', () => {
      throw new Error('no seed')
    })
    const { runs, thrown } = await runAll({ inputs: unreadable })
    expect(thrown).toBeUndefined()
    const last = runs.find(({ index }) => index === 2)
    expect(last).toMatchObject({ status: 'rejected', reason: { code: 'configuration', submission: 'not_sent' } })
    expect(last?.status === 'rejected' && last.reason instanceof ModelRunError).toBe(true)
  })
})
