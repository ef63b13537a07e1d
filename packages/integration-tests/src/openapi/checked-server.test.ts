import { fixtures } from '@modelrun/contract/fixtures'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { expect, it } from 'vitest'
import { checkServer } from './checked-server.ts'
import { checkDelivery, checkExchange } from './exchange-validator.ts'

it('a checked server with a response that breaks the document cannot be closed', async () => {
  const server = createReferenceServer()
  const handle: ReferenceServer['transport']['handle'] = async () => {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"models":[],"limit":20,"offset":0}' }
  }
  const changes = { transport: { ...server.transport, handle } }
  const liar = checkServer(Object.assign(Object.create(server) as ReferenceServer, changes)) // the rest is the server's
  const { url, close } = await listen(liar)
  await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${server.apiKey}` } })
  await close()
  await expect(liar.close()).rejects.toThrow(/GET \/v1\/models 200: .* must have required property 'total'/)
})

const run = fixtures.runs.completed.body
const RUN = 'POST /v1/models/aurora-image/run'

interface Wrong {
  target: string
  sent?: object
  response: object
  violation: RegExp
}

it.each<[what: string, wrong: Wrong]>([
  [
    '`succeeded` stands for `completed`',
    { target: RUN, sent: { input: {} }, response: { ...run, status: 'succeeded' }, violation: /constant/ },
  ],
  [
    'a job succeeded without output',
    { target: 'GET /v1/jobs/job_1', response: { data: { status: 'succeeded' } }, violation: /'output'/ },
  ],
  [
    'a member of the request is unknown',
    { target: RUN, sent: { input: {}, webhookUrl: 'x' }, response: run, violation: /no member webhookUrl/ },
  ],
  [
    'a query parameter is unknown',
    { target: 'GET /v1/models?page=2', response: fixtures.models.listEmpty.body, violation: /no query parameter page/ },
  ],
  ['the path is unknown', { target: 'GET /v1/keys', response: {}, violation: /has no GET \/v1\/keys/ }],
])('the document notices when %s', (_what, { target, sent, response, violation }) => {
  const [method = '', path = ''] = target.split(' ')
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk_test_1' }
  const problems = checkExchange({
    path: path.replace(/\?.*/, ''),
    request: new Request(`https://service.test${path}`, { method, headers }),
    requestText: sent === undefined ? '' : JSON.stringify(sent),
    response: new Response(null, { headers }),
    responseText: JSON.stringify(response),
  })
  expect(problems.join('\n')).toMatch(violation)
})

it('the document notices a delivery without its output', () => {
  const { output, ...body } = fixtures.webhooks.succeeded.body
  expect(checkDelivery(JSON.stringify(body))).not.toEqual([])
})
