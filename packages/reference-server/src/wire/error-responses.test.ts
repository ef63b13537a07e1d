import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const RUN = 'POST /v1/models/aurora-image/run'

it.each<[keyof AssumptionOptions, request: string, body?: object]>([
  ['unknownModel', 'GET /v1/models/none'],
  ['unknownModel', 'POST /v1/models/none/run', { input: {} }],
  ['unknownJob', 'GET /v1/jobs/none'],
  ['cancelOfUnknownJob', 'DELETE /v1/jobs/none'],
  ['wrongRequest', 'GET /v1/models?limit=0'],
  ['wrongRequest', RUN, { sync: 'no' }],
  ['wrongRequest', RUN, { input: { prompt: 7 } }],
  ['insufficientCredits', RUN, { input: { prompt: 'x' } }],
])('sends the status and the code of the assumption %s: %s %j', async (name, request, json) => {
  const assumptions = { [name]: { status: 418, code: 'TEAPOT' } }
  const server = createReferenceServer({ clock: 'auto', credits: 0, assumptions })
  const [method = '', path = ''] = request.split(' ')
  const caller = apiCaller(server)
  const { status, body } = await (json === undefined ? caller.call(method, path) : caller.post(path, json))
  expect([status, body]).toEqual([418, { error: { code: 'TEAPOT', message: expect.any(String) } }])
})
