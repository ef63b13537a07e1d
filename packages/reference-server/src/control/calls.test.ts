import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { CONTROL_ROUTES } from './routes.ts'

const MODEL = 'aurora-image'

it('lists its calls at GET /_reference, with what each takes and gives', async () => {
  const response = await createReferenceServer().fetch('/_reference')
  const { calls } = await response.json()
  expect(calls).toHaveLength(CONTROL_ROUTES.length)
  expect(calls).toContainEqual({
    call: 'POST /_reference/clock',
    what: 'Move time on; only with the clock manual or auto, or while it is paused',
    takes: '{ advance_ms }',
    gives: '{ now_ms, happened: [{ at_ms, after_ms, kind, job_id, text }] }',
  })
  expect(calls).toContainEqual(
    expect.objectContaining({ call: 'DELETE /_reference/faults', takes: '?id=&key=', gives: '{ removed }' }),
  )
})

it('gives its OpenAPI document at the URL of the server', async () => {
  const server = createReferenceServer({ baseUrl: 'https://gateway.test/inference' })
  const response = await server.fetch('https://gateway.test/inference/_reference/openapi.json')
  expect(await response.json()).toMatchObject({
    openapi: '3.1.1',
    servers: [{ url: 'https://gateway.test/inference' }],
    paths: { '/_reference/clock': { post: { operationId: 'advanceClock' } } },
  })
})

it('takes a POST without a body, a content type or both, as curl sends it', async () => {
  const server = createReferenceServer({ clock: 'manual' })
  const caller = apiCaller(server)
  const runningId = String((await caller.run(MODEL, { sync: false })).body.job_id)
  const post = (path: string, init: RequestInit = {}) => server.fetch(path, { method: 'POST', ...init })
  expect((await post(`/_reference/jobs/${runningId}/complete`)).status).toBe(200)
  expect(await caller.status(runningId)).toBe('succeeded')
  expect(await (await post('/_reference/keys')).json()).toEqual({ key: expect.stringMatching(/^sk_test_/) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const moved = await post('/_reference/clock', { headers, body: '{"advance_ms":1000}' })
  expect(await moved.json()).toMatchObject({ now_ms: server.clock.now() })
  expect(await (await post('/_reference/reset')).json()).toEqual({ reset: 'all' })
  expect(await caller.status(runningId)).toBeUndefined()
  const missing = await (await post('/_reference/clock')).json()
  expect(missing.error.message).toBe('The body is not right. /advance_ms is missing; it must be a number.')
})
