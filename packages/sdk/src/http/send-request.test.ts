import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestClient } from '../testing/test-client.ts'

const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }
const BODY = '{"input":{"prompt":"x"},"sync":false}'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The body of a run as `fetch` gets it. */
async function sentBody(): Promise<unknown> {
  let body: unknown
  const fetch: typeof globalThis.fetch = async (_, init) => {
    body = init?.body
    return Response.json(QUEUED)
  }
  const { client } = createTestClient([], { fetch })
  await client.submit('aurora-image', { prompt: 'x' })
  return body
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
