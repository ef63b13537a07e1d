import { LIMITS, modelListSchema, modelSchema } from '@modelrun/contract'
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

describe('GET /v1/models', () => {
  it('responds with models, total, limit and offset (section 4.1)', async () => {
    const { status, page, body } = await list('')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['models', 'total', 'limit', 'offset'])
    expect(page).toMatchObject({ total: 130, limit: LIMITS.modelsPageDefault, offset: 0 })
    expect(page?.models).toHaveLength(20)
    const names = ['id', 'name', 'description', 'category', 'provider', 'status', 'pricing']
    expect(Object.keys(page?.models[0] ?? {})).toEqual(names)
  })

  it('takes limit and offset (section 4.1)', async () => {
    const { page } = await list('?limit=100&offset=90')
    expect(page).toMatchObject({ total: 130, limit: 100, offset: 90 })
    expect(page?.models.map(({ id }) => id)).toEqual(MANY.slice(90).map(({ id }) => id))
  })

  it('takes category and search together (sections 2.2 and 4.1)', async () => {
    const query = '?category=text-to-image&search=MODEL%2012'
    const { page } = await list(query)
    expect(page?.models.map(({ name }) => name)).toEqual(
      MANY.filter(({ name }) => name.startsWith('Model 12')).map(({ name }) => name),
    )
  })

  it.each([
    ['?limit=0', 'Invalid query: limit must be 1 or more'],
    ['?limit=101', 'Invalid query: limit must be 100 or less'],
    ['?limit=ten', 'Invalid query: limit must be an integer'],
    ['?limit=99999999999999999999', 'Invalid query: limit must be 100 or less'],
    ['?offset=-1', 'Invalid query: offset must be 0 or more'],
    ['?limit=1&limit=2', 'limit is there more than once'],
    ['?page=2', 'there is no parameter "page"'],
    ['?__proto__=1', 'there is no parameter "__proto__"'],
  ])('responds with 400 VALIDATION_ERROR to %s (sections 4.1 and 8)', async (query, message) => {
    const response = await list(query)
    expect(response.status).toBe(400)
    expect(errorOf(response)).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining(message) })
  })

  it('searches name and description, whatever the letter case (section 4.1)', async () => {
    const catalog = MANY.slice(0, 3).map((model, index) => ({
      ...model,
      name: index === 0 ? 'Zebra Painter' : 'Plain',
      description: index === 1 ? 'Draws every ZEBRA.' : 'Nothing.',
    }))
    const { page } = await list('?search=zeBRa', { catalog })
    expect([page?.models.map(({ id }) => id), page?.total]).toEqual([['model-0', 'model-1'], 2])
  })
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

  it('responds with 404 NOT_FOUND to an unknown id, with the closest one', async () => {
    const response = await apiCaller(createReferenceServer()).get('/v1/models/aurora-imgae')
    expect(response.status).toBe(404)
    expect(errorOf(response)).toEqual({
      code: 'NOT_FOUND',
      message: expect.stringContaining('Did you mean aurora-image?'),
    })
  })
})
