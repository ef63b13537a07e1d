import { expect, it } from 'vitest'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'

const page = {
  path: '/page/',
  respond: ({ url }: Request) => (new URL(url).pathname === '/page/' ? new Response('the page') : undefined),
}

it('a server with a dashboard serves the page beside the service, and records headers', async () => {
  const server = createReferenceServer()
  const { url } = await listenInTest(server, { dashboard: page })
  const key = { authorization: `Bearer ${server.apiKey}` }
  expect(await (await fetch(`${url}/page/`)).text()).toBe('the page')
  expect((await fetch(`${url}/v1/models`, { headers: key })).status).toBe(200)
  const [entry] = server.journal.entries({ kind: 'request' })
  expect(entry).toMatchObject({
    path: '/v1/models',
    requestHeaders: expect.arrayContaining([['authorization', 'Bearer [redacted]']]),
  })
})
