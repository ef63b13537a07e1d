import { Readable } from 'node:stream'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { type FetchInit, type FetchResponse, ModelRun, type ModelRunOptions } from 'modelrun'
import { request, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findClosedPort,
  startHostileServer,
} from '../../packages/integration-tests/src/hostile-service/hostile-server.ts'

const server = createReferenceServer({ clock: { scale: 1_000 }, seed: 1 })
let service: Awaited<ReturnType<typeof listen>>

beforeAll(async () => {
  service = await listen(server)
})

afterAll(async () => {
  await service.close()
})

/** As libraries do it that are older than the built-in `fetch`: a body that is a Node stream. */
async function oldFetch(url: string, { method, headers, body, signal }: FetchInit): Promise<FetchResponse> {
  const {
    statusCode: status,
    headers: found,
    body: stream,
  } = await request(url, {
    method: method === 'POST' ? 'POST' : 'GET',
    headers,
    body: body ?? null,
    signal,
  })
  const pairs = Object.entries(found).map(([name, value]) => [name, String(value)] as [string, string])
  const ok = status >= 200 && status < 300
  return { ok, status, headers: new Headers(pairs), body: Readable.from(stream), text: () => stream.text() }
}

const FUNCTIONS: Record<string, NonNullable<ModelRunOptions['fetch']>> = {
  "Node's fetch": globalThis.fetch,
  "undici's fetch": undiciFetch,
  'a fetch whose bodies are Node streams': oldFetch,
}

describe.each(Object.entries(FUNCTIONS))('%s', (_, fetch) => {
  const createClient = (options: ModelRunOptions = {}) =>
    new ModelRun({ apiKey: server.apiKey, baseUrl: service.url, fetch, logLevel: 'off', ...options })

  test('runs a model to its end and brings the file', async () => {
    const client = createClient()
    const { output } = await client.run('aurora-image', { prompt: 'a red fox' })
    const file = await client.files.download(output.items[0] ?? '')
    expect(file.contentType).toBe('image/png')
    expect((await file.bytes()).byteLength).toBeGreaterThan(100)
  })

  test('brings the response with its headers and its request id', async () => {
    const { response, data } = await createClient().models.list({ limit: 1 }).withResponse()
    expect(data.models).toHaveLength(1)
    expect(response.headers.get('content-type')).toContain('application/json')
  })

  test('brings an error of the service', async () => {
    await expect(createClient().models.get('nothing')).rejects.toMatchObject({ name: 'NotFoundError', status: 404 })
  })

  test('is aborted with the call', async () => {
    const controller = new AbortController()
    const silent = await startHostileServer({ GET: [() => controller.abort()] })
    const call = createClient({ baseUrl: silent.url }).models.list({}, { signal: controller.signal })
    await expect(call).rejects.toMatchObject({ name: 'AbortedError' })
    await silent.close()
  })

  test('brings a connection that was refused', async () => {
    const client = createClient({ baseUrl: await findClosedPort(), maxRetries: 0 })
    await expect(client.models.list()).rejects.toMatchObject({ attempts: [{ reason: 'ECONNREFUSED' }] })
  })
})
