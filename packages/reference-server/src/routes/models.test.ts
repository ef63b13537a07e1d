import { modelListSchema, modelSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer } from '../reference-server.ts'

const [sample] = DEFAULT_CATALOG
if (sample === undefined) throw new Error('The catalog is empty.')
const MANY = Array.from({ length: 130 }, (_, index) => ({ ...sample, id: `model-${index}`, name: `Model ${index}` }))

async function list(query: string, options = {}) {
  const response = await apiCaller(createReferenceServer({ catalog: MANY, ...options })).get(`/v1/models${query}`)
  return { ...response, page: modelListSchema.safeParse(response.body).data }
}

it.each([
  ['?limit=0', 'Invalid query: /limit must be 1 or more'],
  ['?limit=101', 'Invalid query: /limit must be 100 or less'],
  ['?limit=ten', 'Invalid query: /limit must be a number'],
  ['?limit=99999999999999999999', 'Invalid query: /limit must be a number'],
  ['?offset=-1', 'Invalid query: /offset must be 0 or more'],
  ['?limit=1&limit=2', 'limit is there more than once'],
  ['?page=2', 'there is no parameter "page"'],
  ['?__proto__=1', 'there is no parameter "__proto__"'],
])('GET /v1/models responds with 400 VALIDATION_ERROR to %s (sections 4.1 and 8)', async (query, message) => {
  const response = await list(query)
  expect(response.status).toBe(400)
  expect(errorOf(response)).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining(message) })
})

describe('GET /v1/models/{id}', () => {
  it.each(DEFAULT_CATALOG.map(({ id }) => id))('shows %s with its input_schema (sections 2.3 and 4.2)', async (id) => {
    const { status, body } = await apiCaller(createReferenceServer()).get(`/v1/models/${encodeURIComponent(id)}`)
    expect(status).toBe(200)
    const model = DEFAULT_CATALOG.find((one) => one.id === id)
    expect(modelSchema.parse(body).input_schema).toEqual(model?.input_schema)
    expect(body).not.toHaveProperty('latency_ms')
    expect(body).not.toHaveProperty('output_kind')
  })

  it.each([
    ['aurora-imgae', 'aurora-image'],
    ['other/aurora-image', 'aurora-image'],
    ['Aurora-Video', 'lumen/aurora-video'],
  ])('responds with 404 NOT_FOUND to the unknown id %s, with the closest one', async (id, closest) => {
    const response = await apiCaller(createReferenceServer()).get(`/v1/models/${encodeURIComponent(id)}`)
    expect(response.status).toBe(404)
    expect(errorOf(response)).toEqual({
      code: 'NOT_FOUND',
      message: expect.stringContaining(`Did you mean ${closest}?`),
    })
  })
})
