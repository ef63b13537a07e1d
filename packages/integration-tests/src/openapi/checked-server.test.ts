import { globSync, readFileSync } from 'node:fs'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { describe, expect, it } from 'vitest'
import { type CheckedServer, checkServer, createCheckedServer } from './checked-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** A server whose responses lack the field `total`. */
function createLiar(): ReferenceServer {
  const server = createReferenceServer({ clock: 'auto' })
  const corrupt = (text: string) => {
    const { total, ...body } = JSON.parse(text)
    return JSON.stringify(body)
  }
  const changes: Pick<ReferenceServer, 'fetch' | 'transport'> = {
    fetch: async (...call) => new Response(corrupt(await (await server.fetch(...call)).text()), { headers: JSON_TYPE }),
    transport: {
      ...server.transport,
      handle: async (...call) => {
        const reply = await server.transport.handle(...call)
        if (reply.status === undefined) throw new Error('There is no response to corrupt.')
        return { status: 200, headers: JSON_TYPE, body: corrupt(String(reply.body)) }
      },
    },
  }
  return Object.assign(Object.create(server) as ReferenceServer, changes) // the other members are those of the server
}

async function listModels(server: CheckedServer, { fetch = server.fetch, baseUrl = server.baseUrl } = {}) {
  const headers = { authorization: `Bearer ${server.apiKey}` }
  return (await fetch(`${baseUrl}/v1/models`, { headers })).json()
}

describe('a checked server', () => {
  it('counts exchanges and deliveries, and closes when none broke the document', async () => {
    const server = createCheckedServer({ deliver: async () => new Response() })
    await listModels(server)
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ input: { prompt: 'a fox' }, webhook_url: 'https://app.test/hook' })
    await server.fetch('/v1/models/aurora-image/run', { method: 'POST', headers, body })
    await server.webhooks.next()
    expect(await server.checked()).toBe(3)
    await server.close()
  })

  it('catches a wrong response in process, and closing fails', async () => {
    const server = checkServer(createLiar())
    await listModels(server)
    await expect(server.close()).rejects.toThrow(/GET \/v1\/models 200: .* must have required property 'total'/)
  })

  it('catches a wrong response over a socket, and closing fails', async () => {
    const server = checkServer(createLiar())
    const { url, close } = await listen(server)
    await listModels(server, { fetch: globalThis.fetch, baseUrl: url })
    await close()
    await expect(server.close()).rejects.toThrow(/'total'/)
  })

  it('hands violations to a test that makes them on purpose, and closes', async () => {
    const server = createCheckedServer()
    await server.fetch('/v1/models?limit=none', { headers: { authorization: `Bearer ${server.apiKey}` } })
    expect(await server.takeViolations()).toEqual([expect.stringContaining('the parameter limit: / must be integer')])
    await server.close()
  })
})

it('no test of this package has a reference server that is not checked', () => {
  const files = globSync('**/*.ts', { cwd: new URL('..', import.meta.url) })
  const unchecked = files.filter((file) =>
    readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').includes('createReferenceServer'),
  )
  expect(unchecked.toSorted()).toEqual([
    // In programs of their own.
    'ai-sdk/processes.nightly.test.ts',
    'browser/page.ts',
    // What is checked is a page.
    'dashboard/kit.ts',
    'engines/recipe-service.ts',
    // Responses are broken on purpose.
    'faults/parity-msw-2.nightly.test.ts',
    // As a text alone.
    'guides.system.test.ts',
    // A type alone.
    'networks/fetch-types.test-d.ts',
    // What is checked is the way there: proxies, pages.
    'networks/guide.system.test.ts',
    'openapi/checked-server.test.ts',
    'openapi/checked-server.ts',
    'proxy/browser/app.ts',
    'proxy/guide.system.test.ts',
    'response-member.test.ts',
    // Writes fixtures, whose states its own test checks.
    'upgrades/write-fixtures.ts',
    'vitest-fixture/project/inbox.spec.ts',
    'vitest-fixture/project/page.spec.ts',
    'vitest-fixture/project/shared-server.spec.ts',
  ])
})
