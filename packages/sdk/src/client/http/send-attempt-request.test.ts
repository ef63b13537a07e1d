import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestClient } from '../../../test/test-client.ts'
import type { ModelRun } from '../client.ts'
import type { ModelRunOptions } from '../options.ts'

const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }
const BODY = '{"input":{"prompt":"x"},"sync":false}'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** What `fetch` gets with a request. */
async function initOf(call: (client: ModelRun) => Promise<unknown>, options: ModelRunOptions = {}): Promise<object> {
  let sent: object = {}
  const fetch: typeof globalThis.fetch = async (_, init = {}) => {
    sent = init
    return Response.json(QUEUED)
  }
  const { client } = createTestClient([], { ...options, fetch })
  await call(client)
  return sent
}

/** The body of a run as `fetch` gets it. */
async function sentBody(): Promise<unknown> {
  return Reflect.get(
    await initOf((client) => client.models.run('aurora-image', { input: { prompt: 'x' }, sync: false })),
    'body',
  )
}

describe('the body of a run', () => {
  test('is text', async () => {
    await expect(sentBody()).resolves.toBe(BODY)
  })

  test('is a Blob in Deno, which sends text a second time by itself when a connection breaks', async () => {
    vi.stubGlobal('Deno', {})
    const body = await sentBody()
    expect(body).toBeInstanceOf(Blob)
    await expect((body instanceof Blob ? body : new Blob()).text()).resolves.toBe(BODY)
  })
})

describe('a request without a body', () => {
  const poll = (client: ModelRun) => client.request('GET', '/v1/jobs/job_1')

  test('gets none on its way', async () => {
    expect(await initOf(poll)).not.toHaveProperty('body')
  })

  test('gets none in Deno', async () => {
    vi.stubGlobal('Deno', {})
    expect(await initOf(poll)).not.toHaveProperty('body')
  })
})

describe('the cache', () => {
  const poll = (client: ModelRun) => client.request('GET', '/v1/jobs/job_1')

  /** A platform whose requests know no cache, as that of Cloudflare once did. */
  function stubRequest(more: (init: RequestInit | undefined) => void): void {
    vi.stubGlobal(
      'Request',
      class extends Request {
        override readonly cache: RequestCache = 'default'
        constructor(input: RequestInfo | URL, init?: RequestInit) {
          more(init)
          super(input, init)
        }
      },
    )
  }

  test('is passed', async () => {
    expect(await initOf(poll)).toHaveProperty('cache', 'no-store')
  })

  test('is left alone where requests ignore the option', async () => {
    stubRequest(() => {})
    expect(await initOf(poll)).not.toHaveProperty('cache')
  })

  test('is left alone where requests reject the option', async () => {
    stubRequest((init) => {
      if (init?.cache !== undefined) throw new TypeError('The `cache` field is not implemented')
    })
    expect(await initOf(poll)).not.toHaveProperty('cache')
  })
})
