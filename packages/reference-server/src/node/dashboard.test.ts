import { describe, expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { announcement } from './announcement.ts'
import { readCommand } from './cli-options.ts'
import { listen } from './listen.ts'

const page = {
  path: '/page/',
  respond: ({ url }: Request) => (new URL(url).pathname === '/page/' ? new Response('the page') : undefined),
}

describe('a server with a dashboard', () => {
  it('serves the page beside the service, and records headers', async () => {
    const server = createReferenceServer()
    const { url, close } = await listen(server, { dashboard: page })
    const key = { authorization: `Bearer ${server.apiKey}` }
    expect(await (await fetch(`${url}/page/`)).text()).toBe('the page')
    expect((await fetch(`${url}/v1/models`, { headers: key })).status).toBe(200)
    const [entry] = server.journal.entries({ kind: 'request' })
    expect(entry).toMatchObject({
      path: '/v1/models',
      requestHeaders: expect.arrayContaining([['authorization', 'Bearer [redacted]']]),
    })
    await close()
  })

  it('prints the url of the page; without a dashboard nothing', () => {
    const command = readCommand([])
    if (command.kind !== 'serve') throw new Error('No options start the server.')
    const ready = { url: 'http://127.0.0.1:4010', keys: ['sk_test_a'], controlToken: 'token' }
    const dashboardUrl = 'http://127.0.0.1:4010/_dashboard/'
    expect(announcement({ ...ready, dashboardUrl }, command)).toContain(`  page   ${dashboardUrl}\n`)
    expect(announcement(ready, command)).not.toContain('page')
  })
})
