import { expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { closestRoute } from './app.ts'

it.each([
  ['a misspelt path', 'GET /v1/model/aurora-image', 'GET /v1/models/{id}'],
  ['a path without its version', 'GET /models', 'GET /v1/models'],
  ['a version that is given twice', 'GET /v1/v1/models', 'GET /v1/models'],
  ['another version', 'DELETE /v2/jobs/job_1', 'DELETE /v1/jobs/{id}'],
  ['a slash at the end', 'GET /v1/models/', 'GET /v1/models'],
  ['another method', 'PUT /models/a/run', 'POST /v1/models/{model}/run'],
  ['nothing like it', 'GET /health', undefined],
])('the closest endpoint is found for %s', (_, request, route) => {
  const [method = '', path = ''] = request.split(' ')
  expect(closestRoute(method, path)).toBe(route)
})

it('the message of an unknown path has it', async () => {
  const response = await apiCaller(createReferenceServer()).get('/v1/modles')
  expect(errorOf(response).message).toContain('There is nothing at /v1/modles. Did you mean GET /v1/models?')
})
