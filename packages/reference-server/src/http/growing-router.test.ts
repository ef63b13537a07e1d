import { expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { PREPARED_AFTER } from './growing-router.ts'

const REQUESTS = [
  ['GET', '/v1/models'],
  ['GET', '/v1/models/aurora-image'],
  ['HEAD', '/v1/models/lumen%2Faurora-video'],
  ['GET', '/v1/models/lumen/aurora-video'],
  ['GET', '/v1/models/aurora-image/run'],
  ['PATCH', '/v1/models/aurora-image/run'],
  ['DELETE', '/v1/jobs/job_1'],
  ['OPTIONS', '/v1/jobs/job_1'],
  ['GET', '/v1/jobs/a/b'],
  ['GET', '/files/job_1/0.png'],
  ['POST', '/files/job_1/0.png'],
  ['GET', '/openapi.json'],
  ['PUT', '/openapi.json'],
  ['GET', '/_reference/keys'],
  ['POST', '/_reference/reset'],
  ['PUT', '/_reference/reset'],
  ['GET', '/_reference/unknown'],
  ['GET', '/_reference'],
  ['GET', '/_reference/'],
  ['GET', '/'],
] as const

it('a server responds to its first requests as it does after thousands', async () => {
  const server = createReferenceServer({ assumptions: { requestIdHeader: 'none' } })
  const headers = { authorization: `Bearer ${server.apiKey}` }
  const respond = () =>
    Promise.all(
      REQUESTS.map(async ([method, path]) => {
        const response = await server.fetch(path, { method, headers })
        return [method, path, response.status, Object.fromEntries(response.headers), await response.text()]
      }),
    )
  const first = await respond()
  for (let count = 0; count < PREPARED_AFTER; count++) await server.fetch('/v1/models/aurora-image', { headers })
  expect(await respond()).toEqual(first)
})
