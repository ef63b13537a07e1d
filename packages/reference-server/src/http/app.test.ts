import { openApiDocument } from '@modelrun/contract/openapi'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf, openServer } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer } from '../reference-server.ts'

const [sample] = DEFAULT_CATALOG
if (sample === undefined) throw new Error('The catalog is empty.')

const serverWithModels = (...ids: string[]) => {
  const catalog = ids.map((id) => ({ ...sample, id, latency_ms: 0 }))
  return apiCaller(createReferenceServer({ clock: 'auto', catalog }))
}

describe('routes', () => {
  it.each([
    ['PUT', '/v1/models', 'GET, HEAD'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['POST', '/v1/models/aurora-image', 'GET, HEAD'],
    ['GET', '/v1/models/aurora-image/run', 'POST'],
    ['HEAD', '/v1/models/aurora-image/run', 'POST'],
    ['OPTIONS', '/v1/jobs/job_1', 'GET, HEAD, DELETE'],
    ['POST', '/files/job_1/0.png', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('respond with 405 METHOD_NOT_ALLOWED and Allow: %s %s', async (method, path, allow) => {
    const response = await apiCaller(createReferenceServer()).call(method, path)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    if (method !== 'HEAD') expect(errorOf(response).code).toBe('METHOD_NOT_ALLOWED')
  })

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/modelsx',
    '/v1/models/',
    '/v1/jobs',
    '/v1/jobs/a/b',
    '/v2/models',
    '/files',
    '/favicon.ico',
  ])('respond with 404 NOT_FOUND at %s and say what is where (section 9)', async (path) => {
    const response = await apiCaller(createReferenceServer()).get(path)
    expect(response.status).toBe(404)
    expect(response.body).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } })
    expect(errorOf(response).message).toMatch(
      /the modelrun reference server, which has GET \/v1\/models, .*\/files.*\/_reference/,
    )
  })

  it('take a model id with slashes as one encoded segment and as plain segments (sections 4.2 and 4.3)', async () => {
    const caller = serverWithModels('a/b/c', 'plain')
    for (const id of ['a/b/c', 'a%2Fb%2Fc', 'a%2fb/c']) {
      expect((await caller.get(`/v1/models/${id}`)).body.id).toBe('a/b/c')
      const run = await caller.post(`/v1/models/${id}/run`, { input: { prompt: 'x' } })
      expect(run.body).toMatchObject({ status: 'completed', model_id: 'a/b/c' })
    }
  })

  it('take ids with any characters, and a percent sign once', async () => {
    const ids = ['ä ö', 'a%2Fb', 'a+b', 'x?y#z', '日本', '%', 'a:b@c']
    const caller = serverWithModels(...ids)
    for (const id of ids) {
      const response = await caller.get(`/v1/models/${encodeURIComponent(id)}`)
      expect(response.body.id, id).toBe(id)
    }
  })

  it.each(['%', '%zz', '%E0%A4%A', '%00', 'a%2', '%F0%9F', '%2e', '..;', '~', "'"])(
    'respond with 404 NOT_FOUND to the unknown id %s',
    async (id) => {
      const caller = apiCaller(createReferenceServer())
      for (const path of [`/v1/models/${id}x`, `/v1/jobs/${id}x`]) {
        expect(await caller.get(path)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
      }
      const run = await caller.post(`/v1/models/${id}x/run`, { input: {} })
      expect(run).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    },
  )

  it('work below the path of the base address, and at any origin', async () => {
    const { server, caller } = openServer({ baseUrl: 'https://gateway.test/inference/', clock: 'auto' })
    expect((await caller.get('/v1/models/aurora-image')).body.id).toBe('aurora-image')
    const { body } = await caller.run('aurora-image')
    const [url] = JSON.stringify(body).match(/https:[^"]+/) ?? []
    expect(url).toMatch(/^https:\/\/gateway\.test\/inference\/files\//)
    expect((await server.fetch(String(url))).status).toBe(200)
    const headers = { authorization: `Bearer ${server.apiKey}` }
    expect((await server.fetch('http://elsewhere.test:99/v1/models', { headers })).status).toBe(200)
  })

  it('respond to HEAD as to GET, without the body but with its length', async () => {
    const caller = apiCaller(createReferenceServer())
    const [get, head] = [await caller.get('/v1/models'), await caller.call('HEAD', '/v1/models')]
    expect(head.text).toBe('')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(get.text.length)])
  })

  it('turn a defect into a 500 that says so, and log it', async () => {
    const lines: string[] = []
    const server = createReferenceServer({ clock: 'auto', log: (line) => lines.push(line) })
    // A catalog entry that breaks after it was checked.
    const broken = { ...sample, id: 'broken' }
    const other = createReferenceServer({ catalog: [broken], log: (line) => lines.push(line) })
    Object.defineProperty(broken, 'input_schema', {
      get: () => {
        throw new Error('the wires are crossed')
      },
    })
    const response = await apiCaller(other).run('broken')
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } })
    expect(lines.join('\n')).toContain('the wires are crossed')
    expect((await apiCaller(server).get('/v1/models')).status).toBe(200)
  })
})

it('GET /openapi.json gives the document without a key, at the address of the server', async () => {
  const server = createReferenceServer({ baseUrl: 'https://gateway.test/inference' })
  const response = await server.fetch('https://gateway.test/inference/openapi.json')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({
    ...openApiDocument,
    servers: [{ url: 'https://gateway.test/inference', description: expect.any(String) }],
  })
})
