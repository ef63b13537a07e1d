import createClient, { type Client } from 'openapi-fetch'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connection, TRANSPORTS } from '../transports.ts'
import type { components, paths } from './service-types.ts'

type Job = components['schemas']['Job']

const SLOW = 'lumen/aurora-video'
const POLL_EVERY_MS = 5_000

// A client that shares nothing with ours: its types are made of the document, its code is openapi-fetch.
describe.each(TRANSPORTS)('a client generated from the OpenAPI document, over $name', ({ open }) => {
  let connection: Connection
  let client: Client<paths>

  beforeEach(async () => {
    connection = await open()
    const served = await (await connection.fetch(`${connection.baseUrl}/openapi.json`)).json()
    client = createClient<paths>({
      baseUrl: served.servers[0].url,
      headers: { authorization: `Bearer ${connection.server.apiKey}` },
      fetch: (request) => connection.fetch(request),
    })
  })

  afterEach(async () => {
    await connection.close()
  })

  async function pollUntilDone(id: string): Promise<Job> {
    for (;;) {
      const { data } = await client.GET('/v1/jobs/{id}', { params: { path: { id } } })
      if (data === undefined) throw new Error(`There is no job ${id}.`)
      if (!['queued', 'processing'].includes(data.data.status)) return data.data
      await new Promise<void>((resolve) => connection.server.clock.setTimeout(resolve, POLL_EVERY_MS))
    }
  }

  it('lists the models and reads one (sections 4.1 and 4.2)', async () => {
    const query = { category: 'text-to-image', limit: 2 }
    const { data } = await client.GET('/v1/models', { params: { query } })
    expect(data).toMatchObject({ limit: 2, offset: 0 })
    const [model] = data?.models ?? []
    const details = await client.GET('/v1/models/{id}', { params: { path: { id: model?.id ?? '' } } })
    expect(details.data).toMatchObject({ ...model, input_schema: { required: ['prompt'] } })
  })

  it('runs a fast model to its end in one response (section 4.3)', async () => {
    const { data, response } = await client.POST('/v1/models/{model}/run', {
      params: { path: { model: 'aurora-image' } },
      body: { input: { prompt: 'a red fox' } },
    })
    expect(response.status).toBe(200)
    // Narrowed by the types that the document gives.
    expect(data?.status === 'completed' && data.output.items[0]?.url).toMatch(/\.png$/)
  })

  it('runs a slow model and polls its job until it is done (sections 4.3 and 4.4)', async () => {
    const { data, response } = await client.POST('/v1/models/{model}/run', {
      params: { path: { model: SLOW } },
      body: { input: { prompt: 'waves' } },
    })
    expect([response.status, data?.status]).toEqual([202, 'processing'])
    const job = await pollUntilDone(data?.job_id ?? '')
    expect(job).toMatchObject({ status: 'succeeded', output: { type: 'video' } })
  })

  it('submits a job and cancels it, which costs nothing (sections 4.3 and 4.5)', async () => {
    const before = connection.server.credits()
    const submitted = await client.POST('/v1/models/{model}/run', {
      params: { path: { model: SLOW } },
      body: { input: { prompt: 'waves' }, sync: false },
    })
    expect(submitted.data?.status).toBe('queued')
    const id = submitted.data?.job_id ?? ''
    const cancelled = await client.DELETE('/v1/jobs/{id}', { params: { path: { id } } })
    expect(cancelled.response.ok).toBe(true)
    expect(await pollUntilDone(id)).toEqual({ status: 'cancelled' })
    expect(connection.server.credits()).toBe(before)
  })

  it('reads the error of a run that is rejected, and of one that failed (section 7)', async () => {
    const rejected = await client.POST('/v1/models/{model}/run', {
      params: { path: { model: 'aurora-image' } },
      body: { input: { prompt: 'x', num_images: 9 } },
    })
    expect([rejected.response.status, rejected.error?.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(rejected.error?.error.message).toContain('num_images')
    connection.server.script('aurora-image', [{ result: 'failed' }])
    const failed = await client.POST('/v1/models/{model}/run', {
      params: { path: { model: 'aurora-image' } },
      body: { input: { prompt: 'x' }, sync: false },
    })
    expect((await pollUntilDone(failed.data?.job_id ?? '')).error?.code).toBe('PROVIDER_FAILURE')
  })

  it('does not compile with what the document does not have', () => {
    const calls = [
      // @ts-expect-error there is no such parameter
      () => client.GET('/v1/models', { params: { query: { page: 2 } } }),
      // @ts-expect-error there is no such path
      () => client.GET('/v1/keys'),
      // @ts-expect-error the input is missing
      () => client.POST('/v1/models/{model}/run', { params: { path: { model: 'aurora-image' } }, body: {} }),
    ]
    expect(calls).toHaveLength(3)
  })
})
