import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

/** The exchanges of a job, as far as the tests read them. */
interface Exchanges {
  exchanges: { [name: string]: unknown; request_headers: [string, string][]; response_headers: [string, string][] }[]
  job: object
}

/** What was read is what the OpenAPI document says: another test checks that. */
function exchangesIn(body: unknown): Exchanges {
  return body as Exchanges
}

it('the exchanges of a job over the control API are those of its story: run, states, polls and deliveries', async () => {
  const server = createReferenceServer({ clock: 'manual' })
  server.webhooks.deliver(() => new Response(null, { status: 204 }))
  server.webhooks.script({ deliveries: 2, gap_ms: 500 })
  const caller = apiCaller(server)
  const { job_id } = (await caller.run('aurora-image', { webhook_url: 'https://app.test/hook' })).body
  await server.clock.advance(6_000)
  server.faults.add({ kind: 'reset', route: 'getJob', times: 1 })
  await caller.get(`/v1/jobs/${job_id}`).catch(() => {})
  await caller.get(`/v1/jobs/${job_id}`)
  const body = exchangesIn((await caller.get(`/_reference/jobs/${job_id}/exchanges`)).body)
  const lines = body.exchanges.map(({ kind, attempt, status, to, outcome, fault }) =>
    [kind, attempt, status, to, outcome, fault].filter((part) => part !== undefined).join(' '),
  )
  expect(lines).toEqual([
    'request 1 202',
    'job processing',
    'job succeeded',
    'delivery 1 204 delivered',
    'delivery 2 204 delivered',
    'request 1 reset (fault_1)',
    'request 2 200',
  ])
  expect(body.exchanges[3]?.request_body).toContain(`"job_id":"${job_id}","status":"succeeded"`)
  expect(body.job).toMatchObject({ job_id, status: 'succeeded', charged: 4, webhook_url: 'https://app.test/hook' })
  expect(server.story(String(job_id)).split('\n').length).toBeGreaterThan(6)
})
