import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runProcessingSchema } from '@modelrun/contract'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it, vi } from 'vitest'
import { apiCaller, MODEL, openServer } from '../test/api-caller.ts'
import { listenInTest } from '../test/listen-in-test.ts'
import { nextTurn, realNow } from './clock/real-time.ts'
import { createReferenceServer, type ReferenceServer } from './reference-server.ts'

const SLOW_MODEL = 'lumen/aurora-video' // 90 s

/** Runs a slow model and polls every 5 s of the clock that it is given, like a simple client. */
async function story(server: ReferenceServer, sleep: (ms: number) => Promise<void>): Promise<string[]> {
  const caller = apiCaller(server)
  const run = await caller.run(SLOW_MODEL)
  const { job_id } = runProcessingSchema.parse(run.body)
  const statuses: string[] = [String(run.body.status)]
  while (statuses.at(-1) === 'processing' && statuses.length < 100) {
    await sleep(5_000)
    statuses.push(String(await caller.status(job_id)))
  }
  return statuses
}

describe('a client that shares the auto clock', () => {
  it('sees run, hold, 202, polls and result in a moment, at the right times (sections 3 and 4.3)', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const { clock } = server.clientOptions()
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms))
    // More than the time limit of a test, if it were real time.
    for (let round = 0; round < 4; round++) {
      const start = clock.now()
      const statuses = await story(server, sleep)
      // 55 s held, then polls at 60, 65, … 90 s.
      expect(statuses).toEqual([...Array.from({ length: 7 }, () => 'processing'), 'succeeded'])
      expect(clock.now() - start).toBe(90_000)
    }
  })

  it('sees the same ids and times in each run of the same seed', async () => {
    const record = async (seed: number) => {
      const { server, caller } = openServer({ clock: 'auto', seed, deliver: async () => new Response() })
      const runs = await Promise.all([caller.run(SLOW_MODEL), caller.run(MODEL), caller.run(MODEL, { sync: false })])
      await caller.run(MODEL, { webhook_url: 'https://receiver.test/' })
      const delivery = await server.webhooks.next()
      return [server.apiKey, runs.map(({ text }) => text), delivery, server.clock.now()]
    }
    expect(await record(7)).toEqual(await record(7))
    expect((await record(7))[0]).not.toBe((await record(8))[0])
  })
})

describe('a client that does not share the auto clock', () => {
  it('does not wait for ever: it sees queued, processing and succeeded of a run with sync: false', async () => {
    const { caller } = openServer({ clock: 'auto' })
    const { body } = await caller.run(SLOW_MODEL, { sync: false })
    const seen = new Set<unknown>()
    await vi.waitUntil(async () => seen.add(await caller.status(body.job_id)) && seen.has('succeeded'), {
      timeout: 100_000,
      interval: 5,
    })
    expect([...seen]).toEqual(['queued', 'processing', 'succeeded'])
  })

  it('leaves time alone for jobs that never change', async () => {
    const { server, caller } = openServer({ clock: 'auto' })
    server.script(MODEL, [{ result: 'hang' }])
    const { body } = await caller.run(MODEL) // held for 55 s
    const at = server.clock.now()
    await caller.status(body.job_id)
    for (let turn = 0; turn < 50; turn++) await nextTurn()
    expect(server.clock.now()).toBe(at)
  })
})

it('a client behind a socket that shares the auto clock is given about 10 ms of real time before time jumps', async () => {
  const server = createReferenceServer({ clock: 'auto' })
  const { url } = await listenInTest(server)
  await (await fetch(`${url}/v1/models`)).text()
  const before = realNow()
  await new Promise<void>((resolve) => server.clock.setTimeout(resolve, 1_000))
  expect(realNow() - before).toBeGreaterThan(8)
})

describe('reference server', () => {
  it('needs no timer for jobs without a waiting request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { server, caller } = openServer()
    for (let run = 0; run < 50; run++) await caller.run(MODEL, { sync: false })
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(60_000)
    expect(server.credits()).toBe(10_000 - 50 * 4)
  })

  it('takes the timer of a webhook back when the job ends early', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { caller } = openServer()
    const { body } = await caller.run(MODEL, { webhook_url: 'https://receiver.test/' })
    expect(vi.getTimerCount()).toBe(1)
    await caller.delete(`/v1/jobs/${String(body.job_id)}`)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives files the address that a transport sets', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    server.transport.set({ baseUrl: 'http://127.0.0.1:4010/' })
    expect(server.baseUrl).toBe('http://127.0.0.1:4010')
    expect(server.clientOptions().baseUrl).toBe('http://127.0.0.1:4010')
    expect((await apiCaller(server).run(MODEL)).text).toContain('"http://127.0.0.1:4010/files/')
    expect(() => server.transport.set({ baseUrl: 'nowhere' })).toThrow(ConfigurationError)
  })

  it('responds to held and later requests with 503 once closed, and drops its timers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { server, caller } = openServer()
    const held = caller.run(SLOW_MODEL)
    await caller.run(MODEL, { webhook_url: 'https://receiver.test/' })
    while (vi.getTimerCount() < 2) await new Promise(setImmediate)
    await server.close()
    expect(vi.getTimerCount()).toBe(0)
    expect((await held).status).toBe(503)
    expect((await caller.get('/v1/models')).status).toBe(503)
  })

  it('keeps no process alive', async () => {
    const program = `
      import { createReferenceServer } from ${JSON.stringify(new URL('reference-server.ts', import.meta.url).href)}
      for (const clock of ['auto', 'manual', 'system']) {
        const server = createReferenceServer({ clock })
        const headers = { authorization: 'Bearer ' + server.apiKey, 'content-type': 'application/json' }
        const sync = clock === 'auto'
        const init = { method: 'POST', headers, body: JSON.stringify({ input: { prompt: 'x' }, sync }) }
        const response = await server.fetch('/v1/models/lumen%2Faurora-video/run', init)
        console.log(clock, response.status)
      }`
    const args = ['--conditions=@modelrun/source', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout.trim().split('\n')).toEqual(['auto 202', 'manual 202', 'system 202'])
  })
})
