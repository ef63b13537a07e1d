import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../test/caught.ts'
import { errorResponse, json } from '../../test/scripted-service.ts'
import { createTestClient } from '../../test/test-client.ts'
import { NotFoundError } from './errors/api-errors.ts'
import { InvalidResponseError } from './errors/transport-errors.ts'

describe('models.get (section 4.2)', () => {
  test('gives a model with its input_schema and unknown fields', async () => {
    const body = { ...fixtures.models.imageEditing.body, released: '2026' }
    const { client, service } = createTestClient([json(200, body)])
    await expect(client.models.get('northlight/retouch')).resolves.toEqual(body)
    expect(service.received[0]?.path).toBe('/v1/models/northlight%2Fretouch')
  })

  test('rejects with NotFoundError when there is no such model', async () => {
    const { client } = createTestClient([errorResponse(404, 'NOT_FOUND')])
    const error = await caught(client.models.get('none'), NotFoundError)
    expect(error).toMatchObject({ apiCode: 'NOT_FOUND', submission: 'not_sent' })
  })

  test('rejects, and does not throw, for an empty id', async () => {
    const { client, service } = createTestClient([json(200, {})])
    await caught(client.models.get(''), ConfigurationError)
    expect(service.received).toHaveLength(0)
  })

  test('says where a model has a wrong shape', async () => {
    const { client } = createTestClient([json(200, { ...fixtures.models.textToImage.body, pricing: {} })])
    const error = await caught(client.models.get('aurora-image'), InvalidResponseError)
    expect(error.message).toContain('wrong shape at /pricing/credits_per_run')
  })
})

describe('models.run (section 4.3)', () => {
  test.each([
    ['completed', fixtures.runs.completed],
    ['processing', fixtures.runs.processingSlow],
    ['queued', fixtures.runs.queued],
  ])('gives the response %s of the service and waits for nothing', async (_, { httpStatus, body }) => {
    const { client, service } = createTestClient([json(httpStatus, body)])
    await expect(client.models.run('aurora-image', fixtures.runs.request.body)).resolves.toEqual(body)
    expect(service.received).toMatchObject([
      { method: 'POST', path: '/v1/models/aurora-image/run', body: fixtures.runs.request.body },
    ])
  })

  test('gives the HTTP response, whose status is 200 or 202', async () => {
    const { client } = createTestClient([json(202, fixtures.runs.queued.body)])
    const { response } = await client.models.run('aurora-image', { input: {}, sync: false }).withResponse()
    expect(response.status).toBe(202)
  })
})
