import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL, openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { LeftoversError } from './report.ts'

/** A server on which everything that can be left over is left over, by the first key. */
async function leaveAll() {
  const { server, caller } = openServer({ clock: 'manual' })
  server.webhooks.script({ delay_ms: 60_000 })
  const delivered = await caller.run(MODEL, { webhook_url: 'http://127.0.0.1:1/hook' })
  await server.clock.advance(5_000)
  const running = await caller.run(MODEL, { sync: false })
  server.script(MODEL, [{ result: 'hang' }, { result: 'hang' }])
  server.faults.add({ kind: 'reset', times: 2, route: 'cancelJob' })
  await caller.get('/v1/modles')
  return { server, delivered: delivered.body.job_id, running: running.body.job_id }
}

describe('the report of leftovers', () => {
  it('is clean when a test has used everything that it set up', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    server.script(MODEL, [{ result: 'failed', after_ms: 0 }])
    server.faults.add({ kind: 'server-error', times: 1 })
    await apiCaller(server).get('/v1/models')
    await apiCaller(server).run(MODEL)
    await apiCaller(server).get('/v1/jobs/job_unknown')
    expect(server.report()).toMatchObject({ isClean: true, text: 'Nothing is left over.' })
  })

  it('lists jobs, results on their way, faults, scripts and requests that no route took', async () => {
    const { server, delivered, running } = await leaveAll()
    const report = server.report()
    expect(report).toMatchObject({
      isClean: false,
      unfinishedJobs: [{ job_id: running, model_id: MODEL, status: 'queued' }],
      pendingWebhooks: [{ job_id: delivered, url: 'http://127.0.0.1:1/hook' }],
      unusedFaults: [{ id: 'fault_1', used: 0 }],
      unusedScripts: [{ model_id: MODEL, outcomes: 2 }],
      unmatchedRequests: [{ method: 'GET', path: '/v1/modles', status: 404 }],
    })
    expect(report.text).toBe(
      [
        'Left over:',
        `- The job ${running} of ${MODEL} is queued. Wait for it, or cancel it.`,
        `- The result of job ${delivered} is still on its way to http://127.0.0.1:1/hook. Wait for server.webhooks.next().`,
        '- fault_1 (reset) was injected 0 of 2 times. Did the request that it is for happen?',
        `- No run of ${MODEL} has taken 2 scripted outcomes.`,
        '- GET /v1/modles is not a request of the service: 404.',
      ].join('\n'),
    )
    await server.close()
  })

  it('is of one account, or of all and of requests without a key', async () => {
    const { server } = await leaveAll()
    const { key } = server.createKey()
    await server.fetch('/nothing')
    expect(server.report(key).isClean).toBe(true)
    expect(server.report().unmatchedRequests).toHaveLength(2)
    expect(server.report(server.apiKey).unmatchedRequests).toHaveLength(1)
    server.reset(server.apiKey)
    expect(server.report(server.apiKey).isClean).toBe(true)
    expect(() => server.report('sk_test_other')).toThrow('did not make that API key')
  })

  it('is what checkLeftovers throws, for an account or for all, once', async () => {
    const { server } = await leaveAll()
    const { key } = server.createKey()
    expect(() => server.checkLeftovers(key)).not.toThrow()
    expect(() => server.checkLeftovers()).toThrow(LeftoversError)
    const again = (await leaveAll()).server
    expect(() => again.checkLeftovers()).toThrow(/Left over:\n- The job/)
    expect(() => server.checkLeftovers()).not.toThrow()
  })
})
