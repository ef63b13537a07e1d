import type { FaultOptions, ReferenceServer } from '@modelrun/reference-server'
import { AbortedError, DeadlineExceededError, ModelRun, ModelRunError, type ModelRunOptions } from 'modelrun'
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

async function errorOf(work: Promise<unknown>): Promise<ModelRunError> {
  const outcome = await work.then(
    (value) => new Error(`No error, but ${JSON.stringify(value)}.`),
    (error: unknown) => error,
  )
  if (outcome instanceof ModelRunError) return outcome
  throw outcome
}

/** The runs that reached the service. */
function runsSent(server: ReferenceServer): number {
  const requests = server.journal.entries({ kind: 'request' })
  return requests.filter((entry) => entry.kind === 'request' && entry.method === 'POST').length
}

describe('Never charged twice', () => {
  test.each<[FaultOptions, number]>([
    [{ kind: 'reset', when: 'after' }, PRICE],
    [{ kind: 'empty-reply', when: 'after' }, PRICE],
    [{ kind: 'truncated-body', bytes: 5 }, PRICE],
    [{ kind: 'server-error', when: 'after' }, PRICE],
    [{ kind: 'reset' }, 0],
  ])('a run that ends by %j was sent once, and the error says that it may be charged', async (fault, cost) => {
    const { server, client } = start()
    const credits = server.credits()
    server.faults.add({ ...fault, route: 'runModel' })
    const error = await errorOf(client.run(FAST, INPUT))
    expect(error.submission).toBe('unknown')
    expect(runsSent(server)).toBe(1)
    expect(credits - server.credits()).toBe(cost)
  })

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
    const error = await errorOf(client.run(FAST, INPUT, { deadlineMs: 20_000 }))
    expect(error).toBeInstanceOf(DeadlineExceededError)
    expect(server.clock.now() - startedAt).toBe(20_000)
  })

  test('a job that never ends ends the wait at its deadline', async () => {
    const { server, client } = start()
    server.script(SLOW, [{ result: 'hang' }])
    const error = await errorOf(client.run(SLOW, INPUT, { deadlineMs: 120_000 }))
    expect(error).toBeInstanceOf(DeadlineExceededError)
  })

  test('an abort ends the call at once, also while the service is silent', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'hang', route: 'runModel' })
    const work = errorOf(client.run(FAST, INPUT, { signal: AbortSignal.abort() }))
    expect(await work).toBeInstanceOf(AbortedError)
  })
})

describe('Never a lost result', () => {
  test('an abort leaves the live job on the error, and its result can still be had', async () => {
    const { client } = start()
    const controller = new AbortController()
    const onStatus = () => controller.abort()
    const error = await errorOf(client.run(SLOW, INPUT, { signal: controller.signal, onStatus }))
    if (!(error instanceof AbortedError)) throw error
    expect(error.submission).toBe('accepted')
    await expect(error.job?.result()).resolves.toMatchObject({ status: 'succeeded' })
  })

  test('a deadline leaves the live job on the error, and its result can still be had', async () => {
    const { client } = start()
    const error = await errorOf(client.run(SLOW, INPUT, { deadlineMs: 70_000 }))
    if (!(error instanceof DeadlineExceededError)) throw error
    await expect(error.job?.result()).resolves.toMatchObject({ status: 'succeeded' })
  })

  test('a response that is cut after the id of the job leads to the result', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'truncated-body', bytes: 60, route: 'runModel', times: 1 })
    await expect(client.run(FAST, INPUT)).resolves.toMatchObject({ status: 'succeeded' })
    expect(runsSent(server)).toBe(1)
  })

  test('a fault in the callback of the caller costs nothing', async () => {
    const { client } = start()
    const onStatus = () => {
      throw new Error('a fault of the caller')
    }
    await expect(client.run(SLOW, INPUT, { onStatus })).resolves.toMatchObject({ status: 'succeeded' })
  })

  test('polls that fail for a while do not end the wait', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'unavailable', route: 'getJob', times: 5 })
    await expect(client.run(SLOW, INPUT)).resolves.toMatchObject({ status: 'succeeded' })
  })
})

describe('Errors that say what happened', () => {
  test('what, where, how often it was tried, and what to do', async () => {
    const { server, client } = start()
    server.faults.add({ kind: 'refused' })
    const error = await errorOf(client.run(FAST, INPUT))
    expect(error.message).toContain('POST /v1/models/aurora-image/run failed after 3 attempts: ECONNREFUSED at ')
    expect(error.message).toContain('Check that the service can be reached from here.')
    expect(error.message).toContain('The run was not sent: nothing is charged.')
    expect(error.attempts.map(({ reason }) => reason)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'])
  })
})
