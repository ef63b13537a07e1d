import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../test/caught.ts'
import { json } from '../../test/scripted-service.ts'
import { createTestClient } from '../../test/test-client.ts'
import { BudgetExceededError } from './errors/local-errors.ts'

test('models.get (section 4.2) gives a model with its input_schema and unknown fields', async () => {
  const body = { ...fixtures.models.imageEditing.body, released: '2026' }
  const { client, service } = createTestClient([json(200, body)])
  await expect(client.models.get('northlight/retouch')).resolves.toEqual(body)
  expect(service.received[0]?.path).toBe('/v1/models/northlight%2Fretouch')
})

const completed = json(200, fixtures.runs.completed.body)
const MODEL = fixtures.models.textToImage.body
const NONE = Number.POSITIVE_INFINITY
const WRONG_MEMBERS = [null, undefined, 7, '', 'x', [], {}, true]
const WRONG_MODELS = Object.keys(MODEL)
  .filter((name) => name !== 'id')
  .flatMap((name) => WRONG_MEMBERS.map((value) => ({ ...MODEL, id: 'b', [name]: value })))
const WRONG_SCHEMAS = [...WRONG_MEMBERS, { type: 7, required: 'prompt' }, { properties: { a: 7, b: null } }].flatMap(
  (schema) => [schema, { properties: { size: schema } }, { properties: { size: { minimum: schema, type: schema } } }],
)

describe('one invalid model', () => {
  test.each(WRONG_MODELS)('hides no other model: %j', async (wrong) => {
    const models = [{ ...MODEL, id: 'a' }, wrong, { ...MODEL, id: 'c' }, null, { name: 'no id' }]
    const page = { models, total: 5, limit: 20, offset: 0 }
    const { client, service } = createTestClient([json(200, page)])
    const ids: string[] = []
    for await (const model of client.models.list()) ids.push(model.id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(service.received).toHaveLength(1)
  })

  test.each(WRONG_SCHEMAS)('can be run within a price when its schema is %j', async (input_schema) => {
    const { client } = createTestClient([json(200, { ...MODEL, input_schema }), completed])
    const run = client.run('b', {}, { maxCredits: 5, validateInput: true })
    await expect(run).resolves.toMatchObject({ status: 'succeeded' })
  })

  test.each([
    [{ credits_per_run: '2' }, 2],
    [{ credits_per_run: null }, NONE],
    [{ credits_per_run: -1 }, NONE],
    [{ credits_per_run: 'free' }, NONE],
    [{}, NONE],
    [null, NONE],
    [3, NONE],
  ])('of the price %j costs %d: an unknown price is above every limit', async (pricing, price) => {
    const priced = json(200, { ...MODEL, pricing })
    const { client, service } = createTestClient([priced, ...(price === NONE ? [] : [completed]), priced])
    const run = client.run('b', {}, { maxCredits: 1_000 })
    if (price === NONE) await caught(run, BudgetExceededError)
    else await run
    expect(service.received).toHaveLength(price === NONE ? 1 : 2)
    await expect(client.models.get('b')).resolves.toMatchObject({ pricing: { credits_per_run: price } })
  })
})

test.each([
  ['completed', fixtures.runs.completed],
  ['processing', fixtures.runs.processingSlow],
  ['queued', fixtures.runs.queued],
])(
  'models.run (section 4.3) gives the response %s of the service and waits for nothing',
  async (_, { httpStatus, body }) => {
    const { client, service } = createTestClient([json(httpStatus, body)])
    await expect(client.models.run('aurora-image', fixtures.runs.request.body)).resolves.toEqual(body)
    expect(service.received).toMatchObject([
      { method: 'POST', path: '/v1/models/aurora-image/run', body: fixtures.runs.request.body },
    ])
  },
)
