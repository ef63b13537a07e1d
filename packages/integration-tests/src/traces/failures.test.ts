import { describe, expect, it } from 'vitest'
import { FAST, INPUT, UNSET, useTraceHarness } from './trace-harness.ts'

describe('the span of a run that fails', () => {
  const harness = useTraceHarness()
  const failed = (message: string) => ({ code: 'ERROR', message })

  it('is an error with the code of a job that failed', async () => {
    const error = { code: 'PROVIDER_FAILURE', message: 'no paint' }
    harness.server.script(FAST, [{ result: 'failed', after_ms: 5_000, error }])
    await expect(harness.connect().run(FAST, INPUT, { mode: 'async' })).rejects.toThrow('no paint')
    const span = harness.only()
    expect(span?.status).toEqual(failed('PROVIDER_FAILURE'))
    expect(span?.attributes).toMatchObject({
      'error.type': 'job_failed',
      'gen_ai.response.id': expect.stringMatching(/^job_/),
      'modelrun.submission': 'accepted',
    })
  })

  it('is an error when the deadline passes', async () => {
    harness.server.script(FAST, [{ result: 'hang' }])
    await expect(harness.connect().run(FAST, INPUT, { deadlineMs: 20_000 })).rejects.toThrow('deadlineMs')
    expect(harness.only()).toMatchObject({
      status: { code: 'ERROR' },
      attributes: { 'error.type': 'deadline_exceeded' },
    })
  })

  it('is not an error when the caller aborts, and says that it did, and whether the run may count', async () => {
    const controller = new AbortController()
    const client = harness.connect({
      fetch: (url, init) => {
        queueMicrotask(() => controller.abort())
        return harness.server.fetch(url, init)
      },
    })
    await expect(client.run(FAST, INPUT, { mode: 'sync', signal: controller.signal })).rejects.toThrow('aborted')
    const span = harness.only()
    expect(span).toMatchObject({
      status: UNSET,
      attributes: { 'modelrun.submission': 'unknown', 'modelrun.aborted': true },
    })
    expect(span?.attributes).not.toHaveProperty('error.type')
  })

  it('shows retries as events, without an error when the run succeeds', async () => {
    harness.server.faults.add({ kind: 'refused', route: 'runModel', times: 1 })
    harness.server.faults.add({ kind: 'rate-limit', route: 'runModel', times: 1, retry_after: 3 })
    await harness.connect().run(FAST, INPUT)
    const span = harness.only()
    expect(span?.events).toEqual([
      ['modelrun.retry', { 'modelrun.reason': 'ECONNREFUSED', 'modelrun.delay_ms': 250 }],
      ['modelrun.retry', { 'modelrun.reason': 'HTTP 429', 'modelrun.delay_ms': 3_000 }],
    ])
    expect(span).toMatchObject({ status: UNSET, attributes: { 'http.request.resend_count': 2 } })
  })

  it.each([
    [{ kind: 'refused' }, 'ECONNREFUSED', 'not_sent'],
    [{ kind: 'reset', when: 'after' }, 'ECONNRESET', 'unknown'],
  ] as const)('is an error when the connection fails: %j', async (fault, code, submission) => {
    harness.server.faults.add({ ...fault, route: 'runModel' })
    await expect(harness.connect().run(FAST, INPUT)).rejects.toThrow()
    expect(harness.only()).toMatchObject({
      status: failed(code),
      attributes: { 'error.type': 'connection_failed', 'modelrun.submission': submission },
    })
  })

  it('is an error with the status when the service rejects the run', async () => {
    const client = harness.connect({ apiKey: 'sk_test_of_another_service' })
    await expect(client.run(FAST, INPUT)).rejects.toThrow('UNAUTHORIZED')
    expect(harness.only()).toMatchObject({
      status: failed('HTTP 401 UNAUTHORIZED'),
      attributes: { 'error.type': 'authentication_failed', 'modelrun.submission': 'rejected' },
    })
  })
})
