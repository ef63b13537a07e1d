import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import type { ControlResponses } from './responses.ts'

function shownServer() {
  const server = createReferenceServer({ clock: 'manual' })
  server.transport.set({ isShown: true })
  const caller = apiCaller(server)
  return { server, caller }
}

describe('what a dashboard reads', () => {
  it('has requests without a job whole, and those of jobs without bodies', async () => {
    const { caller } = shownServer()
    await caller.run('aurora-image', { input: { promt: 'a' } })
    await caller.run('aurora-image', { sync: false })
    const { entries, jobs } = (await caller.get('/_reference/activity')).body as {
      entries: { [name: string]: unknown }[]
      jobs: object[]
    }
    expect(entries).toMatchObject([
      { status: 400, response_body: expect.stringContaining('Did you mean prompt?') },
      { status: 202 },
    ])
    expect(entries[0]).toMatchObject({
      request_body: expect.stringContaining('promt'),
      request_headers: expect.any(Array),
    })
    for (const member of ['request_body', 'response_body', 'request_headers'])
      expect(entries[1]).not.toHaveProperty(member)
    expect(jobs).toMatchObject([{ text: expect.any(String) }])
  })

  it('has what is new since an earlier response, and everything after a reset', async () => {
    const { server, caller } = shownServer()
    server.webhooks.deliver(() => new Response())
    const read = async ({ epoch = '', place = 0 }) =>
      (await caller.get(`/_reference/activity?epoch=${epoch}&after=${place}`))
        .body as never as ControlResponses['Activity']
    const first = await read({})
    expect(first).toMatchObject({ clock: { mode: 'manual' }, jobs: [], entries: [] })
    const { job_id } = (await caller.run('aurora-image', { webhook_url: 'https://app.test/hook?token=x' })).body
    const second = await read(first)
    expect(second).toMatchObject({
      epoch: first.epoch,
      jobs: [{ job_id, status: 'processing' }],
      entries: [{ job_id }],
    })
    await server.clock.advance(5_000)
    const third = await read(second)
    expect(third).toMatchObject({ jobs: [{ job_id, status: 'succeeded', charged: 4 }] })
    expect(await read(third)).toMatchObject({ jobs: [], entries: [] })
    await caller.get('/v1/models')
    server.reset(server.createKey().key)
    expect(await read(third)).toMatchObject({ jobs: [{ job_id }], entries: [{}, {}, { route: 'listModels' }] })
    expect(server.journal.entries({ kind: 'request' })).toHaveLength(2)
  })

  it('has the response of a receiver, without secrets', async () => {
    const { server, caller } = shownServer()
    const headers = { 'x-app': 'mine', 'set-cookie': 'secret' }
    let line = 6
    server.webhooks.deliver(() => new Response(`boom at line ${++line}`, { status: 500, headers }))
    server.webhooks.script({ deliveries: 2 })
    const { job_id } = (await caller.run('aurora-image', { webhook_url: 'https://app.test/hook' })).body
    await server.clock.advance(60_000)
    const { exchanges } = (await caller.get(`/_reference/jobs/${job_id}/exchanges`)).body as { exchanges: object[] }
    const expected = { kind: 'delivery', status: 500, response_body: 'boom at line 7' }
    // At the same moment, each has its own.
    expect(exchanges.slice(-2)).toMatchObject([expected, { ...expected, response_body: 'boom at line 8' }])
    const [delivery] = server.webhooks.deliveries()
    expect(delivery?.responseHeaders).toEqual(expect.arrayContaining([['x-app', 'mine']]))
    expect(JSON.stringify(delivery)).not.toContain('secret')
  })
})

it('control API: what a test can read afterwards gives the journal, by key, kind and job, as entries and as text', async () => {
  const server = createReferenceServer({ clock: 'auto' })
  const { key } = server.createKey()
  const caller = apiCaller(server)
  const { body } = await apiCaller(server, key).run(MODEL)
  await caller.run(MODEL)
  const all = await caller.get('/_reference/journal')
  expect(all.body).toEqual({ entries: expect.any(Array), text: expect.stringContaining('job created') })
  expect(all.body.entries).toContainEqual({
    at_ms: Date.UTC(2026, 0, 1),
    place: expect.any(Number),
    key: expect.stringMatching(/^sk_test_/),
    kind: 'request',
    duration_ms: 4_000,
    method: 'POST',
    path: '/v1/models/aurora-image/run',
    route: 'runModel',
    status: 200,
    job_id: body.job_id,
    job_status: 'completed',
    request_body: '{"input":{"prompt":"a red fox"}}',
    response_body: expect.stringContaining('"status":"completed"'),
  })
  const own = await caller.get(`/_reference/journal?key=${key}&kind=request&job_id=${body.job_id}`)
  expect(own.body.entries).toMatchObject([{ kind: 'request', job_id: body.job_id, status: 200 }])
})
