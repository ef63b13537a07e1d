import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

it('sends code and message alone, whatever is rejected', async () => {
  const server = createReferenceServer({ clock: 'auto' })
  const paths = {
    unknown: server.apiKey,
    unauthorized: 'sk_test_other',
    forbidden: server.createKey({ permissions: [] }).key,
  }
  for (const key of Object.values(paths)) {
    const { body } = await apiCaller(server, key).get('/v1/jobs/none')
    expect(body).toEqual({ error: { code: expect.any(String), message: expect.any(String) } })
  }
})

const REJECTIONS = {
  unknownModel: 'GET /v1/models/none',
  unknownJob: 'GET /v1/jobs/none',
  cancelOfUnknownJob: 'DELETE /v1/jobs/none',
  wrongRequest: 'GET /v1/models?limit=0',
} satisfies Partial<Record<keyof AssumptionOptions, string>>

it.each(Object.entries(REJECTIONS))('sends the status and the code of the assumption %s', async (name, request) => {
  const assumptions = { [name]: { status: 418, code: 'TEAPOT' } }
  const server = createReferenceServer({ clock: 'auto', assumptions })
  const [method = '', path = ''] = request.split(' ')
  const response = await apiCaller(server).call(method, path)
  expect(response).toMatchObject({ status: 418, body: { error: { code: 'TEAPOT' } } })
})

it('sends those of wrongRequest, unknownModel and insufficientCredits for runs', async () => {
  const code = (code: string) => ({ status: 422, code })
  const assumptions = { wrongRequest: code('WRONG'), unknownModel: code('MODEL'), insufficientCredits: code('CREDITS') }
  const caller = apiCaller(createReferenceServer({ clock: 'auto', credits: 0, assumptions }))
  const responses = [
    await caller.post('/v1/models/aurora-image/run', { sync: 'no' }),
    await caller.run('aurora-image', { input: { prompt: 7 } }),
    await caller.run('none'),
    await caller.run('aurora-image'),
  ]
  const seen = responses.map(({ status, body }) => [status, (body.error as { code: string }).code])
  expect(seen).toEqual([
    [422, 'WRONG'],
    [422, 'WRONG'],
    [422, 'MODEL'],
    [422, 'CREDITS'],
  ])
})
