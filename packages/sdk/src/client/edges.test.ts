import { describe, expect, test } from 'vitest'
import { caught } from '../../test/caught.ts'
import { collect } from '../../test/collect.ts'
import { json, type Step, silent, text } from '../../test/scripted-service.ts'
import { createTestClient } from '../../test/test-client.ts'
import { DeadlineExceededError } from './errors/transport-errors.ts'

const OUTPUT = { type: 'image', items: [{ type: 'image', url: 'data:image/png;base64,AAAA' }] }
const queued = json(202, { job_id: 'job_1', status: 'queued' }, { 'x-request-id': 'req_post' })
const succeeded = json(200, { data: { status: 'succeeded', output: OUTPUT } })
const WHOLE = { job_id: 'job_1', output: OUTPUT }

describe('runMany', () => {
  const inputs = [{ prompt: 'a' }, { prompt: 'b' }]

  test.each([
    ['a table read as bigint', [[0n, 'job_a']]],
    ['text with zeros', [['00', 'job_a']]],
    ['an index that no input has', [[2, 'job_a']]],
    ['the same as text', [['2', 'job_a']]],
    [
      'one job for two inputs',
      [
        [0, 'job_a'],
        ['1', { job_id: 'job_a' }],
      ],
    ],
  ] as [string, [never, string][]][])('sends nothing when `resume` is of %s', async (_, entries) => {
    const { client, service } = createTestClient([])
    const work = async () => await collect(client.runMany('m', inputs, { resume: new Map(entries) }))
    await expect(work()).rejects.toMatchObject({ code: 'configuration', submission: 'not_sent' })
    expect(service.received).toEqual([])
  })
})

describe('the response to a run', () => {
  test.each([undefined, null, 'completed', 'succeeded'])(
    'with a whole output and the status %j is the result',
    async (status) => {
      const { client, service } = createTestClient([json(200, { ...WHOLE, status })])
      expect((await client.run('m', {})).output).toEqual(OUTPUT)
      expect(service.received).toHaveLength(1)
    },
  )

  test.each([null, '', 'error'])('with an error, an empty output and the status %j is not a result', async (status) => {
    const body = { error: { code: 'X', message: 'x' }, status, job_id: '', output: { type: '', items: [] } }
    const { client } = createTestClient([json(500, body)])
    await expect(client.run('m', {})).rejects.toMatchObject({ code: 'server_error', submission: 'unknown' })
  })

  test.each([
    ['12345678901234567890', undefined],
    ['12', '12'],
  ])('whose job_id is the number %s has the job %s', async (id, jobId) => {
    const { client } = createTestClient([text(202, `{"job_id":${id},"status":"queued"}`), silent()])
    const error: unknown = await client.submit('m', {}).then(
      (job) => ({ jobId: job.id }),
      (reason) => reason,
    )
    expect((error as { jobId?: string }).jobId).toBe(jobId)
  })
})

test.each([
  ['takes the output away', (state: { output?: unknown }) => void delete state.output],
  ['shortens its urls', (state: { output?: unknown }) => void Object.assign(state.output ?? {}, { items: [] })],
])('a callback that %s changes no result', async (_, onStatus) => {
  const { client, clock } = createTestClient([queued, succeeded])
  expect((await clock.run(client.run('m', {}, { onStatus }))).output).toEqual(OUTPUT)
  const held = createTestClient([json(200, { ...WHOLE, status: 'completed' })])
  expect((await held.client.run('m', {}, { onStatus })).output).toEqual(OUTPUT)
})

test('what a call is given is read in its turn, whatever the caller does with it later', async () => {
  const model = json(200, { id: 'm', pricing: { credits_per_run: 1 }, input_schema: {} })
  const page = json(200, { models: [{ id: 'a' }], total: 9 })
  const respond: Step = (request) => {
    const isRun = request.method === 'POST'
    const isList = new URL(request.url).pathname === '/v1/models'
    return (isRun && queued(request)) || (isList ? page : model)(request)
  }
  const { client, service } = createTestClient([respond])
  const given = { headers: { 'x-tenant': '' }, fetchOptions: { tag: '' }, query: { tag: '' }, body: { tag: '' } }
  const { headers } = given
  const call = (tag: string) => {
    for (const member of Object.values(given)) Object.assign(member, 'tag' in member ? { tag } : { 'x-tenant': tag })
    const input = given.body
    return [
      client.submit('m', input, { headers, maxCredits: 5 }),
      client.models.run('m', { input }, { headers, maxCredits: 5 }),
      client.request('POST', '/v1/models/m/run', given),
      client.models.get('m', { headers, fetchOptions: given.fetchOptions }),
      collect(client.models.list({}, { headers })),
    ]
  }
  await Promise.all([...call('a'), ...call('b')])
  const sent = service.received.map((one) => [one.headers.get('x-tenant'), JSON.stringify(one.body), one.path])
  const tagOf = (text: string | undefined) => /tag"?[=:]"?(\w)/.exec(text ?? '')?.[1]
  for (const [tenant, body, path] of sent) {
    for (const text of [body, path]) expect(tagOf(text ?? undefined) ?? tenant).toBe(tenant)
  }
  expect(sent.filter(([tenant]) => tenant === 'a')).toHaveLength(sent.length / 2)
  expect(sent.length).toBeGreaterThan(12)
})

test('a deadline before the first poll has the id of the request that started the job', async () => {
  const { client, clock } = createTestClient([queued, silent()])
  const error = await clock.run(caught(client.run('m', {}, { deadlineMs: 100 }), DeadlineExceededError))
  expect(error.requestId).toBe('req_post')
})

test.each([null, undefined, -1])('a list of models whose total is %j is read to its end', async (total) => {
  const page = (ids: string[]) => json(200, { models: ids.map((id) => ({ id })), total, limit: 2 })
  const { client } = createTestClient([page(['a', 'b']), page(['c'])])
  expect((await collect(client.models.list({ limit: 2 }))).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})

const streamOf = (...chunks: unknown[]) =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

test.each([
  ['buffers', new Uint8Array([97, 98]).buffer],
  ['views', new DataView(new Uint8Array([97, 98]).buffer)],
  ['strings', 'ab'],
])('a file whose stream gives %s is downloaded', async (_, chunk) => {
  const { client } = createTestClient([() => new Response(streamOf(chunk))])
  const file = await client.files.download('https://files.example.com/a.txt')
  expect(await (await file.blob()).text()).toBe('ab')
})

test('raw JSON is not sent as an object', async () => {
  const rawJSON: unknown = Reflect.get(JSON, 'rawJSON')
  const { client, service } = createTestClient([])
  const input = { seed: typeof rawJSON === 'function' ? rawJSON('9007199254740993') : 1n }
  await expect(client.run('m', input)).rejects.toMatchObject({ code: 'input_validation' })
  expect(service.received).toEqual([])
})

test.each([
  ['buffers', (bytes: Uint8Array<ArrayBuffer>) => bytes.buffer],
  ['views', (bytes: Uint8Array<ArrayBuffer>) => new DataView(bytes.buffer)],
  ['strings', (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes)],
])('a response that comes in several %s is read', async (_, toChunk) => {
  const text = JSON.stringify({ ...WHOLE, status: 'completed' })
  const chunks = [text.slice(0, 20), text.slice(20)].map((part) => toChunk(new TextEncoder().encode(part)))
  const { client } = createTestClient([() => new Response(streamOf(...chunks))])
  expect((await client.run('m', {})).output).toEqual(OUTPUT)
})
