import type { ReferenceServer } from '@modelrun/reference-server'
import {
  AbortedError,
  DeadlineExceededError,
  ModelRun,
  ModelRunError,
  type ModelRunOptions,
  type RunResult,
} from 'modelrun'
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
})
