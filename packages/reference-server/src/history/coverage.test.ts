import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test-kit/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import { mergeCoverage } from './coverage.ts'

const MODEL = 'aurora-image'
const HOOK = { webhook_url: 'https://receiver.test/' }

function newServer(deliver = async () => new Response()) {
  const server = createReferenceServer({ clock: 'auto', deliver })
  return { server, caller: apiCaller(server) }
}

/** Names of what was exercised in a group. */
function covered(server: ReferenceServer, group: string): string[] {
  const items = server.coverage().items.filter((item) => item.group === group && item.count > 0)
  return items.map(({ name }) => name)
}

describe('behaviour coverage', () => {
  it('counts nothing before the first request', () => {
    const { server } = newServer()
    const { covered, total, text } = server.coverage()
    expect([covered, total > 70]).toEqual([0, true])
    expect(text).toMatch(/^Behaviour exercised: 0 of \d+ \(0 %\)\nresponses: 0 of \d+\n {2}- listModels 200\n/)
  })

  it('counts responses and error codes', async () => {
    const { server, caller } = newServer()
    await caller.run(MODEL)
    await caller.run(MODEL, { sync: false })
    await caller.run('lumen/aurora-video')
    await caller.run(MODEL, HOOK)
    server.script(MODEL, [{ result: 'failed', after_ms: 0 }])
    const { body } = await caller.run(MODEL)
    await caller.get(`/v1/jobs/${body.job_id}`)
    await caller.get(`/v1/jobs/${body.job_id}`)
    await caller.delete(`/v1/jobs/${body.job_id}`)
    expect(covered(server, 'responses')).toEqual([
      'runModel 200 completed',
      'runModel 502 failed',
      'runModel 202 processing (held)',
      'runModel 202 processing (webhook)',
      'runModel 202 queued',
      'getJob 200 failed',
      'cancelJob 409 CONFLICT',
    ])
    expect(covered(server, 'codes')).toEqual(['CONFLICT', 'PROVIDER_FAILURE'])
    expect(server.coverage().text).toContain('\n  + getJob 200 failed (2)\n')
  })

  it('counts changes of jobs, and none for jobs that a reset forgot', async () => {
    const { server, caller } = newServer()
    const { body } = await caller.run(MODEL, { sync: false })
    server.reset()
    expect(covered(server, 'transitions')).toEqual(['(created) -> queued'])
    await caller.run(MODEL)
    expect(covered(server, 'transitions')).toContain('processing -> succeeded')
    expect((await caller.delete(`/v1/jobs/${body.job_id}`)).status).toBe(404)
  })

  it('counts faults, and does not count their responses for the endpoint', async () => {
    const { server, caller } = newServer()
    server.faults.add({ kind: 'rate-limit', times: 1 })
    await caller.get('/v1/models')
    expect(['responses', 'codes', 'faults'].map((group) => covered(server, group))).toEqual([
      [],
      ['RATE_LIMITED'],
      ['rate-limit'],
    ])
  })

  it.each([
    [{ when: 'before-response' }, ['delivered', 'before the response to the run', 'before a poll showed the end']],
    [{ when: 'after-poll' }, ['delivered', 'after a poll showed the end']],
    [{ deliveries: 2 }, ['delivered', 'before a poll showed the end', 'more than once for a job']],
    [{ deliveries: 0 }, ['never sent']],
  ] as const)('counts the order of a delivery as %j', async (how, names) => {
    const { server, caller } = newServer()
    server.webhooks.deliverAs(how)
    const { body } = await caller.run(MODEL, HOOK)
    await server.clock.advance(60_000)
    await caller.status(body.job_id)
    await server.clock.advance(1_000)
    expect(covered(server, 'webhooks')).toEqual(names)
  })

  it('counts deliveries that overtake each other, and those that fail', async () => {
    const { server, caller } = newServer(async () => new Response(null, { status: 500 }))
    server.script(MODEL, [{ result: 'succeeded', after_ms: 1_000, webhook: { delay_ms: 5_000 } }])
    await caller.run(MODEL, HOOK)
    await caller.run(MODEL, HOOK)
    await server.clock.advance(60_000)
    expect(covered(server, 'webhooks')).toEqual([
      'rejected',
      'before a poll showed the end',
      'after the delivery of a job that ended later',
    ])
  })

  it('knows only what the assumptions allow', () => {
    const server = createReferenceServer({ assumptions: { cancelStatus: 204, asyncRunStatus: 200 } })
    const names = server.coverage().items.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['cancelJob 204 cancelled', 'runModel 200 queued']))
    expect(names).not.toContain('cancelJob 200 cancelled')
  })

  it('of several servers is added up', async () => {
    const [one, other] = [newServer(), newServer()]
    await one.caller.get('/v1/models')
    await other.caller.get('/v1/models')
    await other.caller.get('/v1/nothing')
    const merged = mergeCoverage([one.server.coverage(), JSON.parse(JSON.stringify(other.server.coverage()))])
    expect(merged.total).toBe(one.server.coverage().total)
    expect(merged.items.filter(({ count }) => count > 0)).toEqual([
      { group: 'responses', name: 'listModels 200', count: 2 },
      { group: 'codes', name: 'NOT_FOUND', count: 1 },
    ])
  })
})
