import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRuns, type Engine } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ENGINE_STORES } from '../durable/engine-stores.ts'
import { openEngine } from '../durable/open-engine.ts'
import { posts } from '../durable/sent-runs.ts'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'
import { inputOf, KEYS, openInbox, orderOf } from './fixture-story.ts'
import { FIXTURES, type FixtureOf, fixturePath, loadStore } from './stored-fixtures.ts'

const WAIT = { interval: 50 }
/** Fixtures become old: what would be removed or given up after a time is not. */
const AGES_MS = 3_000_000_000_000

describe.each(readdirSync(FIXTURES))('what version %s stored', (version) => {
  it.each(ENGINE_STORES)(
    'continues in $title: nothing is lost, and nothing is sent twice',
    async ({ kind, isMissing, start }) => {
      if (isMissing) return
      const { engineAt, stop } = await start()
      onTestFinished(stop)
      const fixture = { version, kind }
      await loadStore(fixture, engineAt.at)
      const server = createCheckedServer({ clock: 'system', latency: 0 })
      server.restore(await readJson(fixture, 'state.json'))
      const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
      const engine = openEngine(engineAt, () => {})
      await engine.setup()
      await continueBatch({ engine, client, server, jobs: await readJson(fixture, 'jobs.json') })
      await continueInbox(engine, client)
      expect(posts(server)).toEqual({ waiting: 1 })
      await engine.close()
      await server.close()
    },
  )
})

interface Continued {
  engine: Engine
  client: ModelRun
  server: CheckedServer
  jobs: Record<'lost' | 'sending', string>
}

async function continueBatch({ engine, client, server, jobs }: Continued): Promise<void> {
  const pollRate = { max: 100, perMs: 1_000 }
  const runs = createRuns({ engine, client, lockMs: 1_000, pollRate, giveUpAfterMs: AGES_MS })
  const states = async () => Promise.all(KEYS.map(async (key) => `${key} ${(await runs.get(key))?.state}`))
  expect(await runs.progress()).toMatchObject({ total: KEYS.length })
  runs.start()
  await expect.poll(() => runs.progress(), WAIT).toMatchObject({ waiting: 0, running: 0, done: 5, unknown: 2 })
  const ended = ['finished succeeded', 'failed failed', 'rejected rejected']
  expect(await states()).toEqual([...ended, 'lost unknown', 'polled succeeded', 'sending unknown', 'waiting succeeded'])
  expect(await runs.get('finished')).toMatchObject({ output: { items: [{ url: expect.any(String) }] } })
  expect(await runs.get('failed')).toMatchObject({ error: { message: 'out of paint' } })
  for (const [key, jobId] of Object.entries(jobs)) expect(await runs.resolve(key, { jobId })).toBe(true)
  await expect.poll(() => runs.progress(), WAIT).toMatchObject({ running: 0, done: 7, unknown: 0 })
  for (const key of KEYS.filter((one) => one !== 'rejected')) await runs.add(key, ...inputOf(key))
  expect(await runs.progress()).toMatchObject({ total: KEYS.length, waiting: 0, running: 0, done: 7 })
  expect(posts(server)).toEqual({ waiting: 1 })
  await runs.stop()
}

async function continueInbox(engine: Engine, client: ModelRun): Promise<void> {
  const handled: string[] = []
  const inbox = openInbox(engine, {
    client,
    keepDoneMs: AGES_MS,
    keepDeadMs: AGES_MS,
    onSucceeded: (_, { context }) => void handled.push(orderOf(context)),
  })
  const [dead, ...others] = await inbox.deadLetters.list()
  expect([dead?.error, others]).toEqual(['The disk is full.', []])
  inbox.start()
  await expect.poll(() => handled.toSorted(), WAIT).toEqual(['expected', 'running', 'waiting'])
  expect(await inbox.deadLetters.replay(String(dead?.jobId))).toBe(true)
  await expect.poll(() => handled.toSorted(), WAIT).toEqual(['dead', 'expected', 'running', 'waiting'])
  await inbox.drain()
}

async function readJson(fixture: FixtureOf, extension: string) {
  return JSON.parse(await readFile(fixturePath(fixture, extension), 'utf8'))
}
