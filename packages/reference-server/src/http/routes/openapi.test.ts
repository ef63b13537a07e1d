import { openApiDocument } from '@modelrun/contract/openapi'
import { describe, expect, it } from 'vitest'
import { createReferenceServer } from '../../reference-server.ts'

describe('GET /openapi.json', () => {
  it('gives the document without a key, at the address of the server', async () => {
    const server = createReferenceServer({ baseUrl: 'https://gateway.test/inference' })
    const response = await server.fetch('https://gateway.test/inference/openapi.json')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      ...openApiDocument,
      servers: [{ url: 'https://gateway.test/inference', description: expect.any(String) }],
    })
  })

  it('takes no other method', async () => {
    const response = await createReferenceServer().fetch('/openapi.json', { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
