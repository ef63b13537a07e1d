// Tests in jsdom or happy-dom, which look like a browser page to a client.
import { createReferenceServer } from '@modelrun/reference-server'
import { test } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { beforeEach, expect, vi } from 'vitest'

beforeEach(() => {
  vi.stubGlobal('window', { document: {} })
})

test('is a page to the client', ({ apiKey }) => {
  expect(() => new ModelRun({ apiKey, baseUrl: 'https://api.test' })).toThrow('This seems to be a browser page')
})

test('takes the options of the fixture in a page', async ({ clientOptions }) => {
  const result = await new ModelRun(clientOptions).run('aurora-image', { prompt: 'a fox' })
  expect(result.status).toBe('succeeded')
})

test('takes the options of a server in a page', async () => {
  const server = createReferenceServer({ clock: 'auto' })
  const client = new ModelRun(server.clientOptions(server.createKey().key))
  expect((await client.run('aurora-image', { prompt: 'a fox' })).status).toBe('succeeded')
})
