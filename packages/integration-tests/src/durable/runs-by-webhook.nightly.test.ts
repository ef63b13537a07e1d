import type { Runs } from '@modelrun/durable'
import { expect, it, onTestFinished } from 'vitest'
import { finish, MODEL, setUpRuns } from './runs-harness.ts'
import { countPosts } from './sent-runs.ts'

const WEBHOOKS = { publicUrl: 'https://app.example.com/batch', secret: 'a secret of tests that has 32 bytes or more' }

/** A batch whose deliveries reach its inbox. `isDelayed`: they come when `held` says so. */
async function setUp({ isDelayed = false } = {}) {
  const held: (() => Promise<Response>)[] = []
  let runs: Runs | undefined
  const opened = await setUpRuns({
    webhooks: WEBHOOKS,
    deliver: async (request) => {
      const deliver = async () => (await runs?.inbox?.handle(request)) ?? new Response(null, { status: 404 })
      if (!isDelayed) return await deliver()
      return await new Promise<Response>((resolve) => {
        held.push(async () => {
          const response = await deliver()
          resolve(response)
          return response
        })
      })
    },
  })
  runs = opened.runs
  onTestFinished(() => opened.runs.stop())
  return { ...opened, held }
}

it('ends a run whose response was lost by the delivery at its own callback URL, without a second POST', async () => {
  const { server, runs, held } = await setUp({ isDelayed: true })
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await runs.add('a', MODEL, { prompt: 'a' })
  expect(await finish(runs)).toEqual([])
  expect(await runs.unknown()).toMatchObject([{ key: 'a', state: 'unknown' }])
  await expect.poll(() => held.length).toBe(1)
  expect((await held[0]?.())?.status).toBe(202)
  await expect.poll(() => runs.get('a')).toMatchObject({ state: 'succeeded' })
  expect(await finish(runs)).toMatchObject([{ key: 'a', state: 'succeeded', output: { items: [expect.anything()] } }])
  expect(await runs.unknown()).toEqual([])
  expect(await runs.progress()).toMatchObject({ total: 1, done: 1, unknown: 0 })
  expect(countPosts(server)).toBe(1)
})

it('does not park a run whose delivery came before its response was lost', async () => {
  const { server, runs } = await setUp()
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await runs.add('a', MODEL, { prompt: 'a' })
  runs.start()
  await expect.poll(() => runs.get('a')).toMatchObject({ state: 'succeeded' })
  await expect.poll(() => runs.progress()).toMatchObject({ total: 1, done: 1, unknown: 0, running: 0 })
  expect(countPosts(server)).toBe(1)
})
