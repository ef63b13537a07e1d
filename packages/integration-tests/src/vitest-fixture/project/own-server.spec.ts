// A project of a user, run by the test beside it. Some of its tests fail on purpose.
import { createTest, test } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { describe, expect } from 'vitest'

const PROMPT = { prompt: 'a fox' }

test('passes when all has ended', async ({ server, clientOptions }) => {
  await new ModelRun(clientOptions).run('lumen/aurora-video', PROMPT)
  expect(server.clock.mode).toBe('auto')
})

test('passes without a server', () => {})

test('fails for a job that continues', async ({ clientOptions }) => {
  await new ModelRun(clientOptions).submit('aurora-image', PROMPT)
})

test('fails for a path that the service does not have', async ({ server, apiKey }) => {
  await server.fetch(`${server.baseUrl}/v1/job/1`, { headers: { authorization: `Bearer ${apiKey}` } })
})

test('fails for a script that no run took', ({ server }) => {
  server.script('aurora-image', [{ result: 'failed' }])
})

test('passes for leftovers that it forgets', ({ server }) => {
  server.script('aurora-image', [{ result: 'failed' }])
  server.reset()
})

test('fails with its own error alone', ({ server }) => {
  server.script('aurora-image', [{ result: 'failed' }])
  expect(1).toBe(2)
})

const poorTest = createTest({ credits: 1, clock: 'manual' })
poorTest('has the server that it asks for', ({ server }) => {
  expect([server.credits(), server.clock.mode]).toEqual([1, 'manual'])
})

describe('fixtures of the user', () => {
  const clientTest = test.extend<{ client: ModelRun }>({
    client: async ({ clientOptions }, use) => use(new ModelRun(clientOptions)),
  })
  clientTest('build upon ours', async ({ client }) => {
    expect((await client.run('aurora-image', PROMPT)).status).toBe('succeeded')
  })
})
