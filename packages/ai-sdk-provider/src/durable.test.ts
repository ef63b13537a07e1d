import { createRuns, type RunsOptions } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import type { ReferenceServer } from '@modelrun/reference-server'
import {
  generateImage,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
} from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Setup, setup } from '../test/harness.ts'
import type { DurableRun } from './durable-runs.ts'
import { createModelRun } from './provider.ts'

/** A service whose runs end at once, and a batch on SQLite. */
async function durableSetup(options: Partial<RunsOptions> = {}) {
  const one = setup({}, { clock: 'system', latency: 0 }, { hasRealFiles: false })
  const engine = createSqliteEngine({ path: ':memory:' })
  await engine.setup()
  const runs = createRuns({ engine, client: one.client, ...options })
  onTestFinished(async () => {
    await runs.stop()
    await engine.close()
  })
  return { one, runs, modelrun: createModelRun({ client: one.client, durable: runs }) }
}

function named(key: string) {
  return { headers: { 'idempotency-key': key } }
}

function draw(modelrun: Setup['modelrun'], more: Partial<Parameters<typeof generateImage>[0]> = {}) {
  return generateImage({ model: modelrun.image('aurora-image'), prompt: 'a fox', ...more })
}

describe('a provider with durable', () => {
  it('sends a call that is repeated once, and gives its result again', async () => {
    const { one, modelrun } = await durableSetup()
    const results = [await draw(modelrun, named('fox')), await draw(modelrun, named('fox'))]
    results.push(...(await Promise.all([draw(modelrun, named('fox')), draw(modelrun, named('fox'))])))
    expect(results.map(({ images }) => images.length)).toEqual([1, 1, 1, 1])
    expect(results[3]?.providerMetadata).toEqual(results[0]?.providerMetadata)
    expect([one.posts(), one.charged()]).toEqual([1, 4])
  })

  it('gives each run of a call a key of its own', async () => {
    const { one, modelrun, runs } = await durableSetup()
    for (const _ of [1, 2]) expect((await draw(modelrun, { ...named('foxes'), n: 6 })).images).toHaveLength(6)
    expect(one.posts()).toBe(2)
    expect((await runs.get('foxes/2'))?.input).toMatchObject({ num_images: 2 })
  })

  it('rejects a key of another call', async () => {
    const { one, modelrun } = await durableSetup()
    await draw(modelrun, named('fox'))
    await expect(draw(modelrun, { ...named('fox'), prompt: 'a hare' })).rejects.toThrow(
      /The key fox is that of another run/,
    )
    expect(one.posts()).toBe(1)
  })

  it.each([
    ['a call without a key', {}, /needs a name/],
    ['a limit of its own', { ...named('fox'), providerOptions: { modelrun: { maxCredits: 9 } } }, /maxCredits/],
  ])('rejects %s', async (_title, more, message) => {
    const { one, modelrun } = await durableSetup()
    await expect(draw(modelrun, more)).rejects.toThrow(message)
    expect(one.posts()).toBe(0)
  })

  it('warns about headers, which the batch does not send', async () => {
    const { modelrun } = await durableSetup()
    const { warnings } = await draw(modelrun, { headers: { 'idempotency-key': 'fox', 'x-tenant': 'a' } })
    expect(warnings).toMatchObject([
      { type: 'unsupported', feature: 'headers', details: expect.stringContaining('x-tenant') },
    ])
  })

  it('leaves a run that may have been charged to a person', async () => {
    const { one, modelrun, runs } = await durableSetup()
    one.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after' })
    for (const _ of [1, 2]) {
      await expect(draw(modelrun, named('fox'))).rejects.toMatchObject({
        isRetryable: false,
        message: expect.stringContaining('`resolve` or `resubmit`'),
        data: { submission: 'unknown', key: 'fox' },
      })
    }
    expect([one.posts(), (await runs.unknown()).length]).toEqual([1, 1])
  })

  const body = { error: { code: 'X', message: 'x' } }
  it.each<[string, (server: ReferenceServer) => unknown]>([
    ['rejected', ({ faults }) => faults.add({ kind: 'response', route: 'runModel', status: 400, body })],
    ['accepted', (server) => server.script('aurora-image', [{ result: 'failed' }])],
  ])('says that a run without a result was %s', async (submission, prepare) => {
    const { one, modelrun } = await durableSetup()
    prepare(one.server)
    const error = { isRetryable: false, data: { submission, key: 'fox' } }
    await expect(draw(modelrun, named('fox'))).rejects.toMatchObject(error)
  })

  it('cancels the runs of a call that is aborted', async () => {
    const { one, modelrun, runs } = await durableSetup()
    one.server.script('aurora-image', [{ result: 'hang' }])
    const controller = new AbortController()
    const call = draw(modelrun, { ...named('fox'), abortSignal: controller.signal })
    await expect.poll(async () => (await runs.get('fox'))?.jobId).toBeDefined()
    controller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => runs.get('fox')).toMatchObject({ state: 'cancelled' })
  })

  it.each(['runEach', 'send', 'read'] as const)('ends with its abort though the store stalls at `%s`', async (name) => {
    const { one, runs } = await durableSetup()
    const controller = new AbortController()
    const stall = () => {
      // Once the call waits for it.
      setImmediate(() => controller.abort())
      return new Promise<never>(() => {})
    }
    const stalled = name === 'runEach' ? () => ({ [Symbol.asyncIterator]: () => ({ next: stall }) }) : stall
    const { send, read, runEach } = runs
    const durable = { send, read, runEach, cancel: stall, [name]: stalled }
    const modelrun = createModelRun({ client: one.client, durable })
    const video = modelrun.video('lumen/aurora-video')
    const more = { ...named('fox'), abortSignal: controller.signal }
    const call = {
      runEach: () => draw(modelrun, more),
      send: () => startVideo({ model: video, prompt: 'waves', ...more }),
      read: () => getVideoStatus(video, { operation: { keys: ['fox'] }, abortSignal: controller.signal }),
    }[name]
    await expect(call()).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('cancels what an aborted start adds later', async () => {
    const { one } = await durableSetup()
    const cancelled: string[] = []
    const release: (() => void)[] = []
    const durable = {
      send: () => new Promise<DurableRun>((resolve) => release.push(() => resolve({ state: 'running' }))),
      cancel: async (key: string) => void cancelled.push(key),
      read: async () => ({ state: 'running' }),
      runEach: () => (async function* () {})(),
    }
    const model = createModelRun({ client: one.client, durable }).video('lumen/aurora-video')
    const controller = new AbortController()
    const call = startVideo({ model, prompt: 'waves', n: 2, ...named('video'), abortSignal: controller.signal })
    await expect.poll(() => release.length).toBe(2)
    release[0]?.()
    controller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => cancelled).toEqual(['video'])
    release[1]?.()
    await expect.poll(() => cancelled).toEqual(['video', 'video/2'])
  })

  it('continues after a deadline with the same call', async () => {
    const { one, runs } = await durableSetup()
    one.server.script('aurora-image', [{ result: 'succeeded', after_ms: 1_500 }])
    const hasty = createModelRun({ client: one.client, durable: runs, deadlineMs: 500 })
    await expect(draw(hasty, named('fox'))).rejects.toMatchObject({ data: { code: 'deadline_exceeded' } })
    const patient = createModelRun({ client: one.client, durable: runs })
    expect((await draw(patient, named('fox'))).images).toHaveLength(1)
    expect(one.posts()).toBe(1)
  })

  it('starts a video once, with the key of the AI SDK or a name, and reads it by its key', async () => {
    const { one, modelrun } = await durableSetup()
    const start = () => startVideo({ model: modelrun.video('lumen/aurora-video'), prompt: 'waves', ...named('video') })
    const { operation } = await start()
    expect((await start()).operation).toEqual(operation)
    const read = () => getVideoStatus(modelrun.video('lumen/aurora-video'), { operation })
    await expect.poll(read).toMatchObject({ status: 'completed', videos: [{ type: 'binary' }] })
    expect(one.posts()).toBe(1)

    const poll = { intervalMs: 50 }
    await generateVideo({ model: modelrun.video('lumen/aurora-video'), prompt: 'waves', poll })
    expect(one.posts()).toBe(2)
  })
})
