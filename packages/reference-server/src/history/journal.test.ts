import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL, openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

describe('the journal of a server', () => {
  it('has no secrets: keys, tokens of webhooks, queries', async () => {
    const { server, caller } = openServer({ clock: 'auto', deliver: async () => new Response() })
    await caller.run(MODEL, {
      input: { prompt: `my key is ${server.apiKey}` },
      webhook_url: 'https://a.test/?t=secret',
    })
    await caller.get(`/v1/models?search=${server.apiKey}`)
    await caller.get(`/v1/jobs/${server.apiKey}`)
    await server.fetch('/v1/models', { headers: { authorization: 'Bearer sk_live_fromproduction' } })
    await server.fetch('/_reference/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    await server.webhooks.next()
    const text = JSON.stringify(server.journal.entries()) + server.journal.text()
    expect(text).not.toContain(server.apiKey.slice(0, 14))
    expect(text).not.toMatch(/secret|fromproduction|sk_test_\w{5}/)
    expect(text).toContain('sk_test_[redacted]')
  })

  it('keeps the first 2,048 bytes of a body', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    await apiCaller(server).run(MODEL, { input: { prompt: 'é'.repeat(3_000) } })
    const [entry] = server.journal.entries({ kind: 'request' })
    const { requestBody = '' } = entry?.kind === 'request' ? entry : {}
    expect(new TextEncoder().encode(requestBody).byteLength).toBeGreaterThan(2_040)
    expect(new TextEncoder().encode(requestBody).byteLength).toBeLessThanOrEqual(2_048)
    expect(requestBody).not.toContain('\uFFFD')
  })
})
