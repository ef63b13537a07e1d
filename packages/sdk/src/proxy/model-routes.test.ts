import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { errorResponse, json, type Step, text } from '../../test/scripted-service.ts'
import { createTestProxy, MODEL, model } from '../../test/test-proxy.ts'

const details = fixtures.models.textToImage.body
const models = ['aurora-image', 'film/long', 'gone']

/** A service that has two models, by their path. */
const service: Step = async (request) => {
  const id = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '')
  if (id === 'gone') return await errorResponse(404, 'NOT_FOUND')(request)
  const changes = id === 'film/long' ? { category: 'text-to-video', name: 'Long Video', internal_host: 'gpu-7' } : {}
  return await json(200, { ...details, id, ...changes })(request)
}

describe('the list of models (section 4.1)', () => {
  test('has the allowed models that the service has, in the order of the option, without their input schema', async () => {
    const { send } = createTestProxy([service], { models })
    const { status, body } = await send('GET /v1/models')
    expect(status).toBe(200)
    const ids = [{ id: 'aurora-image' }, { id: 'film/long' }]
    expect(body).toMatchObject({ models: ids, total: 2, limit: 20, offset: 0 })
    expect(JSON.stringify(body)).not.toContain('input_schema')
  })

  test.each([
    ['category=text-to-video', ['film/long'], 1],
    ['search=lONG', ['film/long'], 1],
    ['search=nothing', [], 0],
    ['limit=1', ['aurora-image'], 2],
    ['limit=1&offset=1', ['film/long'], 2],
    ['offset=7', [], 2],
  ])('is filtered by %s', async (query, ids, total) => {
    const { send } = createTestProxy([service], { models })
    const { body } = await send(`GET /v1/models?${query}`)
    expect(body).toMatchObject({ models: ids.map((id) => ({ id })), total })
  })

  test.each(['limit=0', 'limit=101', 'limit=1e1', 'limit=', 'offset=-1', 'key=1', 'limit=1&limit=2', '__proto__=1'])(
    'takes no query like %s, and asks the service for nothing',
    async (query) => {
      const { send, service: received } = createTestProxy([service], { models })
      await expect(send(`GET /v1/models?${query}`)).resolves.toMatchObject({ status: 400 })
      expect(received.received).toEqual([])
    },
  )

  test('reads each model once in five minutes, however many pages ask', async () => {
    const { send, service: received, clock } = createTestProxy([service], { models: ['aurora-image'] })
    await Promise.all([send('GET /v1/models'), send('GET /v1/models'), send('GET /v1/models/aurora-image')])
    expect(received.received).toHaveLength(1)
    await clock.advance(300_000)
    await send('GET /v1/models')
    expect(received.received).toHaveLength(2)
  })

  test('fails when the service does, says nothing of why, and does not keep the failure', async () => {
    const steps = [...Array(3).fill(text(500, '<html>api.internal failed</html>')), model()]
    const { send, clock, errors } = createTestProxy(steps)
    const failed = await clock.run(send('GET /v1/models'))
    expect(failed).toMatchObject({ status: 502, body: { error: { code: 'BAD_GATEWAY' } } })
    expect(failed.text).not.toContain('internal')
    expect(errors).toMatchObject([{ status: 500 }])
    await expect(send('GET /v1/models')).resolves.toMatchObject({ status: 200 })
  })
})

describe('the details of a model (section 4.2)', () => {
  test('have the members that the specification names, and no others', async () => {
    const { send } = createTestProxy([service], { models })
    const { body } = await send('GET /v1/models/film%2Flong')
    expect(body).toEqual({ ...details, id: 'film/long', category: 'text-to-video', name: 'Long Video' })
  })

  test('take no query', async () => {
    const { status } = await createTestProxy([service]).send(`GET /v1/models/${MODEL}?key=x`)
    expect(status).toBe(400)
  })
})
