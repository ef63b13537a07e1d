import { STATUS_CODES } from 'node:http'
import { expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'

const INPUT = { input: { prompt: 'a' } }

const RUN = 'POST /v1/models/aurora-image/run'

it.each([
  [200, 'GET /v1/models', undefined],
  [200, 'HEAD /v1/models', undefined],
  [400, 'GET /v1/models?limit=0', undefined],
  [404, 'GET /v1/jobs/none', undefined],
  [405, 'PUT /v1/models', undefined],
  [422, 'GET /v1/models/none', undefined],
  [202, RUN, { ...INPUT, sync: false }],
  [402, RUN, INPUT],
  [204, 'DELETE /v1/jobs/none', undefined],
])('a client in this process sees the text of a socket with the status %i: %s', async (status, request, json) => {
  const unknownModel = { status: 422, code: 'NOT_FOUND' } as const
  const assumptions = { unknownModel, cancelStatus: 204, cancelOfUnknownJob: 'accepted' } as const
  const server = createReferenceServer({ clock: 'auto', assumptions, credits: status === 402 ? 0 : 10 })
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const [method = '', path = ''] = request.split(' ')
  const response = await server.fetch(path, { method, headers, body: json === undefined ? null : JSON.stringify(json) })
  expect([response.status, response.statusText]).toEqual([status, STATUS_CODES[status]])
})
