import { ROUTES } from '@modelrun/contract'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { text } from '../../../test/scripted-service.ts'
import { createTestCore } from '../../../test/test-client.ts'
import { openScope } from '../../shared/clock.ts'
import type { ModelRunOptions } from '../options.ts'
import type { Operation } from './operation.ts'

const client: ModelRunOptions = {
  baseUrl: 'https://api.example.com/inference/',
  headers: { Accept: 'text/html', 'Content-Type': 'text/html' },
}

const run = (parameters: Partial<Operation<unknown>>): Operation<unknown> => ({
  route: ROUTES.runModel,
  parameters: { model: 'aurora-image' },
  read: () => undefined,
  ...parameters,
})

/** Makes one call, and returns the request as the service received it. */
async function sent(operation: Operation<unknown>) {
  const { core, clock, service } = createTestCore([text(200, '{}')], client)
  await clock.run(core.transport.call(operation, { scope: openScope({ clock }), options: {} }))
  const [request] = service.received
  if (request === undefined) throw new Error('Nothing was sent.')
  return request
}

describe('the request of a call', () => {
  test('has the path of the route below the base URL (section 4.3)', async () => {
    const url = 'https://api.example.com/inference/v1/models/aurora-image/run'
    expect(await sent(run({}))).toMatchObject({ method: 'POST', url, body: undefined })
  })

  test('keeps an id with a slash one segment of the path (section 4.3)', async () => {
    const { path } = await sent(run({ parameters: { model: 'northlight/retouch' } }))
    expect(path).toBe('/inference/v1/models/northlight%2Fretouch/run')
  })

  test('carries a body as JSON and says so (section 4)', async () => {
    const { body, headers } = await sent(run({ body: { input: { prompt: 'ö' } } }))
    expect(body).toEqual({ input: { prompt: 'ö' } })
    expect([headers.get('content-type'), headers.get('accept')]).toEqual(['application/json', 'application/json'])
  })

  test('has the query without what is undefined, percent-encoded (section 4.1)', async () => {
    const query = { category: undefined, search: 'a b&c', limit: 5, offset: 0 }
    const { url } = await sent({ route: ROUTES.listModels, query, read: () => undefined })
    expect(url).toBe('https://api.example.com/inference/v1/models?search=a+b%26c&limit=5&offset=0')
  })

  test.each([
    ['an empty id', run({ parameters: { model: '' } })],
    ['an id that would reach another endpoint', run({ parameters: { model: '..' } })],
    ['an id that is not a string', run({ parameters: { model: '\ud800' } })],
  ])('cannot be made of %s, and nothing is sent', async (_, operation) => {
    const { core, clock, service } = createTestCore([text(200, '{}')], client)
    const call = core.transport.call(operation, { scope: openScope({ clock }), options: {} })
    const { message } = await caught(call, ConfigurationError)
    expect(message).toMatch(/needs an id.*Nothing was sent\./)
    expect(service.received).toEqual([])
  })
})
