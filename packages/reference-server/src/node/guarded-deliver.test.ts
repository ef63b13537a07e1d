import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf, MODEL } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { guardedDeliver, publicLookup } from './guarded-deliver.ts'
import { type ListenOptions, listen } from './listen.ts'

describe('the guard of webhooks', () => {
  it.each(['http://127.0.0.1:1/', 'http://localhost:1/', 'http://169.254.169.254/latest', 'https://[fd00::1]/'])(
    'sends nothing to %s',
    async (url) => {
      await expect(guardedDeliver(url, { method: 'POST', body: '{}' })).rejects.toThrow('is a private address')
    },
  )

  it('sends nothing to a name that leads to a private address', async () => {
    const failure = await new Promise((resolve) => publicLookup('localhost', { all: true }, resolve))
    expect(failure).toMatchObject({ message: expect.stringContaining('localhost is a private address') })
    const single = await new Promise((resolve) => publicLookup('localhost', {}, resolve))
    expect(single).toMatchObject({ message: expect.stringContaining('localhost is a private address') })
  })

  async function runOn(options: ListenOptions, webhook_url: string) {
    const server = createReferenceServer({ clock: 'manual' })
    const listening = await listen(server, options)
    const response = await apiCaller(server).run(MODEL, { webhook_url })
    await listening.close()
    return response
  }

  it.each(['http://127.0.0.1:1/', 'http://10.0.0.1/', 'http://localhost/'])(
    'rejects a run with the webhook %s when other machines can reach the server',
    async (url) => {
      const response = await runOn({ host: '0.0.0.0' }, url)
      expect([response.status, errorOf(response)]).toEqual([
        400,
        {
          code: 'VALIDATION_ERROR',
          message: expect.stringContaining(
            '--allow-private-webhooks, or listen(server, { allowPrivateWebhooks: true })',
          ),
        },
      ])
    },
  )

  it('allows webhooks on loopback, to public addresses, and with allowPrivateWebhooks', async () => {
    expect((await runOn({}, 'http://127.0.0.1:1/')).status).toBe(202)
    expect((await runOn({ host: '0.0.0.0' }, 'https://93.184.215.14/')).status).toBe(202)
    expect((await runOn({ host: '0.0.0.0', allowPrivateWebhooks: true }, 'http://10.0.0.1/')).status).toBe(202)
  })

  it('keeps a result from a name that leads to a private address', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const sendGuarded: typeof guardedDeliver = (url, init) =>
      guardedDeliver(url.replace('receiver.test', 'localhost'), init)
    server.transport.set({ sendGuarded })
    await apiCaller(server).run(MODEL, { webhook_url: 'http://receiver.test/' })
    await server.clock.advance(10_000)
    expect(server.webhooks.deliveries()).toMatchObject([
      {
        outcome: 'network_error',
        reason: expect.stringMatching(/localhost is a private address.*--allow-private-webhooks/s),
      },
    ])
  })

  it('leaves an own way to deliver as it is', async () => {
    const urls: string[] = []
    const deliver = async ({ url }: Request) => {
      urls.push(url)
      return new Response()
    }
    const server = createReferenceServer({ clock: 'manual', deliver })
    server.transport.set({ sendGuarded: guardedDeliver })
    await apiCaller(server).run(MODEL, { webhook_url: 'http://receiver.test/' })
    await server.clock.advance(10_000)
    expect(urls).toEqual(['http://receiver.test/'])
  })
})
