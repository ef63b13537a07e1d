import { createRuns, type Engine, type StepRun } from '@modelrun/durable'
import { Redis } from 'ioredis'
import { ModelRun } from 'modelrun'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, type RedisService, startRedis } from '../services/redis.ts'
import { type SlowLink, startSlowLink } from '../services/slow-link.ts'
import { openEngine } from './open-engine.ts'
import { MODEL } from './runs-harness.ts'

const { isMissing, note } = needs(...REDIS_PROGRAMS)

const LOCK_MS = 1_500

/** When the connection to Redis fails: before the mark, between mark and POST, and before the job is stored. */
const MOMENTS = ['GET model', 'before the POST', 'after the POST'] as const
type Moment = (typeof MOMENTS)[number]

describe.skipIf(isMissing)(`a send on a Redis that fails${note}`, () => {
  let redis: RedisService
  let link: SlowLink
  let server: CheckedServer
  const engines: Engine[] = []
  const posts: Record<string, number> = {}

  beforeAll(async () => {
    redis = await startRedis({ appendfsync: 'always' })
    link = await startSlowLink(redis.port)
    server = createCheckedServer({ clock: 'system', latency: 0 })
  })
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close()
  })
  afterAll(async () => {
    await link?.close()
    await redis?.stop()
    await server?.close()
  })

  /** @param onMoment what happens to Redis */
  async function open(port: number, onMoment: (at: Moment) => unknown = () => {}) {
    const engine = openEngine({ kind: 'bullmq', at: `redis://127.0.0.1:${port}` }, () => {})
    engines.push(engine)
    const service = server.clientOptions()
    const sent = new Set<string>()
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (init?.method !== 'POST') {
        if (!String(url).includes('/jobs/')) await onMoment('GET model')
        return service.fetch(url, init)
      }
      await onMoment('before the POST')
      const { prompt } = JSON.parse(String(init.body)).input
      posts[prompt] = (posts[prompt] ?? 0) + 1
      sent.add(prompt)
      const response = await service.fetch(url, init)
      await onMoment('after the POST')
      return response
    }
    const client = new ModelRun({ ...service, fetch, maxRetries: 0 })
    const runs = createRuns({ engine, client, lockMs: LOCK_MS, onError: () => {} })
    return { runs, sent }
  }

  type Process = Awaited<ReturnType<typeof open>>

  /** A call that rejects has not sent the run. */
  async function send(key: string, { runs, sent }: Process): Promise<StepRun | undefined> {
    const step = await runs.send(key, MODEL, { prompt: key }).catch((error) => String(error))
    if (typeof step === 'string') expect([step, sent.has(key)]).toEqual([step, false])
    expect(posts[key] ?? 0).toBeLessThanOrEqual(1)
    return typeof step === 'string' ? undefined : step
  }

  /** Sends a run from another process, on a connection of its own, until it has ended. */
  async function sendOn(key: string): Promise<StepRun['state']> {
    const other = await open(redis.port)
    for (;;) {
      const step = await send(key, other)
      if (step !== undefined && step.afterMs === undefined) return step.state
      await new Promise((resolve) => setTimeout(resolve, step?.afterMs ?? 50))
    }
  }

  const OUTAGES = {
    restarts: { happens: () => redis.crash(), isShort: true },
    'is silent on one connection': { happens: () => link.silence(), isShort: false },
    'is silent for longer than a lock': {
      isShort: false,
      happens: async () => {
        const admin = new Redis(redis.port)
        await admin.client('PAUSE', 4_000)
        admin.disconnect()
      },
    },
  }

  describe.each(Object.entries(OUTAGES))('and %s', (outage, { happens, isShort }) => {
    it.each(MOMENTS)('is made at most once, and ends (%s)', async (moment) => {
      const key = `${outage} ${moment}`
      let others: Promise<StepRun['state']> | undefined
      const process = await open(link.port, async (at) => {
        if (at !== moment || others !== undefined) return
        const happened = happens()
        others = sendOn(key)
        await happened
        if (moment === 'before the POST' && !isShort) await new Promise((resolve) => setTimeout(resolve, 2 * LOCK_MS))
      })
      await send(key, process)
      const state = await others
      // The lock ends in a long outage: another process then does not know whether the run was sent.
      expect(isShort || moment === 'GET model' ? ['succeeded'] : ['succeeded', 'unknown']).toContain(state)
    })
  })

  it('is made once, and ends, whichever of its responses is lost with the connection', async () => {
    link.losesResponse = 1_000
    await send('none', await open(link.port))
    const responses = 1_000 - link.losesResponse
    expect(responses).toBeGreaterThan(10)
    for (let lost = 1; lost <= responses; lost += 1) {
      for (const engine of engines.splice(0)) await engine.close()
      const process = await open(link.port)
      link.losesResponse = lost
      await send(`lost ${lost}`, process)
      expect([lost, await sendOn(`lost ${lost}`)]).toEqual([lost, 'succeeded'])
      expect(posts[`lost ${lost}`]).toBe(1)
    }
  }, 240_000)
})
