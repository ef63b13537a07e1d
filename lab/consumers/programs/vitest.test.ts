import { test as modelrunTest } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { expect, test } from 'vitest'
import { doTheJob, expected } from './job'

test('vitest does the job', async () => {
  expect(await doTheJob()).toEqual(expected)
})

modelrunTest('the fixture gives a server', async ({ server }) => {
  const client = new ModelRun(server.clientOptions())
  expect((await client.run('aurora-image', { prompt: 'x' })).status).toBe('succeeded')
})
