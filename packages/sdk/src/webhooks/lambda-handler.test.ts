import { gzipSync } from 'node:zlib'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import type { Delivery } from './delivery/receive-delivery.ts'
import { createLambdaHandler, type LambdaEvent } from './lambda-handler.ts'
import { parseWebhook } from './parse-webhook.ts'

const { body: delivery } = fixtures.webhooks.succeeded
const TEXT = JSON.stringify(delivery)
const TOKEN = 'v1.1.t9wdf0.abc-_.mac'

const restApi: LambdaEvent = {
  httpMethod: 'POST',
  path: '/hook',
  queryStringParameters: { a: 'last one', modelrun_token: TOKEN },
  multiValueQueryStringParameters: { a: ['1 + 1', 'last one'], modelrun_token: [TOKEN] },
  headers: { 'Content-Type': 'application/json' },
  multiValueHeaders: { 'Content-Type': ['application/json'] },
  requestContext: {},
  body: TEXT,
  isBase64Encoded: false,
}

const httpApi: LambdaEvent = {
  rawPath: '/hook',
  rawQueryString: `a=1&modelrun_token=${TOKEN}`,
  queryStringParameters: { a: '1', modelrun_token: TOKEN },
  headers: { 'content-type': 'application/json' },
  requestContext: { http: { method: 'POST' } },
  body: TEXT,
  isBase64Encoded: false,
}

const loadBalancer: LambdaEvent = {
  httpMethod: 'POST',
  path: '/hook',
  queryStringParameters: { modelrun_token: TOKEN },
  headers: { 'content-type': 'application/json' },
  body: TEXT,
  isBase64Encoded: false,
}

const loadBalancerOfLists: LambdaEvent = {
  httpMethod: 'POST',
  path: '/hook',
  multiValueQueryStringParameters: { modelrun_token: [TOKEN] },
  multiValueHeaders: { 'content-type': ['application/json'] },
  body: TEXT,
  isBase64Encoded: false,
}

/** A handler that responds with the job or the problem, and the deliveries it received. */
function open(work: (delivery: Delivery) => void = () => {}) {
  const clock = createManualClock()
  const deliveries: Delivery[] = []
  const receive = async (seen: Delivery) => {
    deliveries.push(seen)
    work(seen)
    try {
      return new Response((await parseWebhook(await seen.readBody())).job_id, { status: 202, headers: { 'x-a': 'b' } })
    } catch (error) {
      // What `readBody` and `parseWebhook` throw.
      const { message, status } = error as Error & { status: number }
      return new Response(message, { status })
    }
  }
  return { handle: createLambdaHandler(receive, { clock }), deliveries, clock }
}

const post = (event: LambdaEvent) => open().handle(event)

describe('an event of Lambda', () => {
  test.each([
    ['a REST API', restApi, `/hook?a=1+%2B+1&a=last+one&modelrun_token=${TOKEN}`],
    ['an HTTP API or a function URL', httpApi, `/hook?a=1&modelrun_token=${TOKEN}`],
    ['a load balancer', loadBalancer, `/hook?modelrun_token=${TOKEN}`],
    ['a load balancer that sends lists', loadBalancerOfLists, `/hook?modelrun_token=${TOKEN}`],
  ])('of %s is a delivery', async (_, event, url) => {
    const { handle, deliveries, clock } = open()
    const response = await handle(event)
    expect(response).toMatchObject({ statusCode: 202, headers: { 'x-a': 'b' }, body: delivery.job_id })
    expect(deliveries).toMatchObject([{ method: 'POST', url }])
    expect(clock.timerCount).toBe(0)
  })

  test('has multi-value headers only for an event with multi-value headers', async () => {
    await expect(post(loadBalancerOfLists)).resolves.toMatchObject({ multiValueHeaders: { 'x-a': ['b'] } })
    await expect(post({ ...loadBalancerOfLists, headers: null })).resolves.toHaveProperty('multiValueHeaders')
    for (const event of [restApi, httpApi, loadBalancer]) {
      expect(await post(event)).not.toHaveProperty('multiValueHeaders')
    }
  })

  test.each([
    ['base64', { body: btoa(TEXT), isBase64Encoded: true }],
    ['an object that a middleware made', { body: delivery }],
  ])('may have its body as %s', async (_, changes) => {
    await expect(post({ ...httpApi, ...changes })).resolves.toMatchObject({ statusCode: 202, body: delivery.job_id })
  })

  test.each([
    ['without a body', { body: null }, 'it is empty'],
    ['with an empty body', { body: '' }, 'it is empty'],
    ['with a body that is no JSON', { body: 'x' }, 'it is not JSON'],
    ['with a body that is no base64', { body: '*', isBase64Encoded: true }, 'it is not base64'],
    ['with a body that is too large', { body: ' '.repeat(262_145) }, 'larger than 262144 bytes'],
    [
      'with a body that is too large in base64',
      { body: btoa(' '.repeat(262_145)), isBase64Encoded: true },
      'larger than 262144 bytes',
    ],
    ['with an endless body in base64', { body: 'A'.repeat(6_000_000), isBase64Encoded: true }, 'larger than 262144'],
    [
      'with a body that is packed',
      {
        body: gzipSync(TEXT).toString('base64'),
        isBase64Encoded: true,
        headers: { 'Content-Encoding': 'gzip' },
      },
      'its content-encoding is "gzip"',
    ],
  ])('%s gets 400', async (_, changes, problem) => {
    const response = await post({ ...httpApi, ...changes })
    expect(response).toMatchObject({ statusCode: 400, body: expect.stringContaining(problem) })
  })

  test('is packed also when it says so in lists', async () => {
    const headers = { 'Content-Encoding': ['gzip'] }
    await expect(post({ ...loadBalancerOfLists, multiValueHeaders: headers })).resolves.toMatchObject({
      statusCode: 400,
    })
  })

  test('takes the largest body in base64', async () => {
    const body = btoa(TEXT + ' '.repeat(262_144 - TEXT.length))
    await expect(post({ ...httpApi, body, isBase64Encoded: true })).resolves.toMatchObject({ statusCode: 202 })
  })

  test('with a body that is too large in base64 is not decoded', async () => {
    const decode = vi.spyOn(globalThis, 'atob')
    await post({ ...httpApi, body: btoa(' '.repeat(262_147)), isBase64Encoded: true })
    expect(decode).not.toHaveBeenCalled()
    decode.mockRestore()
  })

  test('that is none of HTTP is no POST', async () => {
    const { handle, deliveries } = open()
    await handle({})
    expect(deliveries).toMatchObject([{ method: 'GET', url: '/' }])
  })
})

describe('the response', () => {
  test('waits for the work that follows it, because the function is frozen then', async () => {
    const steps: string[] = []
    const { handle, clock } = open(({ waitUntil }) => {
      const later = (delayMs: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, delayMs))
      waitUntil?.(
        later(5_000).then(() => {
          steps.push('handled')
          waitUntil(later(1_000).then(() => steps.push('recorded')))
        }),
      )
    })
    const responded = handle(httpApi).then(() => steps.push('responded'))
    await clock.advance(6_000)
    await responded
    expect(steps).toEqual(['handled', 'recorded', 'responded'])
    expect(clock.timerCount).toBe(0)
  })

  test('waits also for work that fails', async () => {
    const { handle } = open(({ waitUntil }) => waitUntil?.(Promise.reject(new Error('no'))))
    await expect(handle(httpApi)).resolves.toMatchObject({ statusCode: 202 })
  })

  test.each([
    ['8 s, within the 10 s of the service', undefined, 8_000],
    ['8 s, when the function has more time', 60_000, 8_000],
    ['half a second less than the function has', 3_000, 2_500],
  ])('waits no longer than %s', async (_, leftMs, limitMs) => {
    let hasResponded = false
    const { handle, clock } = open(({ waitUntil }) => waitUntil?.(new Promise(() => {})))
    const context = leftMs === undefined ? undefined : { getRemainingTimeInMillis: () => leftMs }
    void handle(httpApi, context).then(() => {
      hasResponded = true
    })
    await clock.advance(limitMs - 1)
    expect(hasResponded).toBe(false)
    await clock.advance(1)
    await settle()
    expect(hasResponded).toBe(true)
  })
})
