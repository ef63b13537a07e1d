import type { ReferenceServer } from '@modelrun/reference-server'
import {
  AbortedError,
  ConfigurationError,
  DeadlineExceededError,
  ModelRun,
  ModelRunError,
  type ModelRunOptions,
  type RunOptions,
  type RunResult,
} from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { type CheckedServer, createCheckedServer } from './openapi/checked-server.ts'

const FAST = 'aurora-image'
/** Takes longer than the service holds a run. */
const SLOW = 'lumen/aurora-video'
const INPUT = { prompt: 'a red fox' }
const PRICE = 4

const servers: CheckedServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

function start(options: ModelRunOptions = {}): { server: ReferenceServer; client: ModelRun } {
  const server = createCheckedServer({ seed: 1 })
  servers.push(server)
  return { server, client: new ModelRun({ ...server.clientOptions(), logLevel: 'off', ...options }) }
}

async function errorOf(work: () => unknown): Promise<ModelRunError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ModelRunError) return error
    throw error
  }
  return expect.unreachable('There was no error.')
}

/** What a program in JavaScript passes: no compiler has checked it. */
const untyped = (options: unknown) => options as RunOptions

describe('Never charged twice', () => {
  test('a run that the service rejected for now is sent again, and charged once', async () => {
    const { server, client } = start()
    const credits = server.credits()
    server.faults.add({ kind: 'rate-limit', route: 'runModel', times: 2 })
    await client.run(FAST, INPUT)
    expect(credits - server.credits()).toBe(PRICE)
  })
})

describe('Never left hanging', () => {
  test('a service that never responds ends the call at its deadline', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'hang', route: 'runModel' })
    const startedAt = server.clock.now()
    const error = await errorOf(() => client.run(FAST, INPUT, { deadlineMs: 20_000 }))
    expect(error).toBeInstanceOf(DeadlineExceededError)
    expect(server.clock.now() - startedAt).toBe(20_000)
  })
})

describe('Never a lost result', () => {
  test('an abort leaves the live job on the error, and its result can still be had', async () => {
    const { client } = start()
    const controller = new AbortController()
    const onStatus = () => controller.abort()
    const error = await errorOf(() => client.run(SLOW, INPUT, { signal: controller.signal, onStatus }))
    if (!(error instanceof AbortedError)) throw error
    expect(error.submission).toBe('accepted')
    await expect(error.job?.result()).resolves.toMatchObject({ status: 'succeeded' })
  })
})

describe('Errors that say what happened', () => {
  test('what, where, how often it was tried, and what to do', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'refused' })
    const error = await errorOf(() => client.run(FAST, INPUT))
    expect(error.message).toContain('POST /v1/models/aurora-image/run failed after 3 attempts: ECONNREFUSED at ')
    expect(error.message).toContain('Check that the service can be reached from here.')
    expect(error.message).toContain('The run was not sent: nothing is charged.')
    expect(error.attempts.map(({ reason }) => reason)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'])
  })
})

describe('what a new user meets in the first hour', () => {
  test('an unknown outcome names a remedy that exists', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'reset', when: 'after', route: 'runModel' })
    const { message } = await errorOf(() => client.run(FAST, INPUT))
    expect(message).not.toContain('Check the account')
    expect(message).toContain('A run with a `webhook` is found by its delivery.')
  })

  test('a progress bar moves from the first second, also for a model that is quick', async () => {
    for (const model of [SLOW, FAST]) {
      const { server, client } = start()
      const startedAt = server.clock.now()
      const heard: [string, number][] = []
      await client.run(model, INPUT, { onStatus: ({ status }) => heard.push([status, server.clock.now() - startedAt]) })
      expect(heard[0]?.[0]).toBe('queued')
      expect(heard[0]?.[1]).toBeLessThan(1_000)
      expect(heard.at(-1)?.[0]).toBe('succeeded')
    }
  })

  test('what a run cost is a number for a video that takes more than 55 s, with `maxCredits` and however it is run', async () => {
    const { client, server } = start()
    const price = (await new ModelRun(server.clientOptions()).models.get(SLOW)).pricing.credits_per_run
    const options = { maxCredits: price }
    const costOf = ({ credits_used, credits_per_run }: RunResult) => credits_used ?? credits_per_run
    const runOne = async () => {
      for await (const run of client.withOptions({}).runMany(SLOW, [INPUT], options)) {
        if (run.status === 'fulfilled') return run.value
      }
      throw new Error('No run succeeded.')
    }
    const other = () => client.withOptions({})
    expect(costOf(await client.run(SLOW, INPUT, options))).toBe(price)
    expect(costOf(await other().run(SLOW, INPUT, { ...options, onStatus: () => {} }))).toBe(price)
    expect(costOf(await (await other().submit(SLOW, INPUT, options)).result())).toBe(price)
    expect(costOf(await runOne())).toBe(price)
  })

  test.each([
    [{ webhook_url: 'https://app.example.com/hook' }, 'webhookUrl'],
    [{ sync: false }, 'mode'],
    [{ timeout: 5 }, 'timeoutMs'],
    [{ mode: 'background' }, 'background'],
    [{ maxCredit: 1 }, 'maxCredits'],
    [{ onStatus: 'x' }, 'onStatus'],
    [{ signal: new AbortController() }, 'signal'],
    [{ webhook: 'https://app.example.com/hook' }, 'webhook'],
  ])('a wrong option of a paid call, %j, is rejected before anything is charged', async (options, named) => {
    const { server, client } = start()
    const credits = server.credits()
    const error = await errorOf(() => client.run(FAST, INPUT, untyped(options)))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toContain(named)
    expect(server.credits()).toBe(credits)
  })

  test.each<[string, () => unknown]>([
    ['new ModelRun({ timeout })', () => start(untyped({ timeout: 5 }) as ModelRunOptions)],
    ['withOptions({ maxRetry })', () => start().client.withOptions(untyped({ maxRetry: 1 }) as ModelRunOptions)],
    ['createInbox({ onSuccess })', () => createInbox({ client: start().client, ...untyped({ onSuccess() {} }) })],
    ['createInbox({ engine: text })', () => createInbox({ engine: 'results.db' as never, onSucceeded() {} })],
    ['new ModelRun(null)', () => new ModelRun(null as never)],
    ['new ModelRun(key)', () => new ModelRun('sk_test_0123456789' as never)],
    ['runMany(model, object)', () => start().client.runMany(FAST, INPUT as never)],
    [
      'files.save(result)',
      () => start().client.files.save({ job_id: 'job_1', output: { type: 'image', items: [] } }, undefined as never),
    ],
  ])('%s says what is wrong, as an error of ours', async (_, call) => {
    const error = await errorOf(call)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).not.toContain('sk_test_0123456789')
    expect(error.message.endsWith('.')).toBe(true)
  })

  test('a run gives the id of its request at the service, apart from that at the provider', async () => {
    const { client } = start()
    const { data, requestId } = await client.run(FAST, INPUT).withResponse()
    expect(requestId).toEqual(expect.any(String))
    expect(requestId).not.toBe(data.request_id)
    const error = await errorOf(() => client.models.get('nope'))
    expect(error.requestId).toEqual(expect.any(String))
  })
})
