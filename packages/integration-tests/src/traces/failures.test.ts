import type { FaultOptions } from '@modelrun/reference-server'
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

  it.each<[FaultOptions | undefined, string, object]>([
    [{ kind: 'refused' }, 'ECONNREFUSED', { 'error.type': 'connection_failed', 'modelrun.submission': 'not_sent' }],
    [
      { kind: 'reset', when: 'after' },
      'ECONNRESET',
      { 'error.type': 'connection_failed', 'modelrun.submission': 'unknown' },
    ],
    [{ kind: 'hang' }, 'deadline', { 'error.type': 'deadline_exceeded' }],
    [undefined, 'HTTP 401 UNAUTHORIZED', { 'error.type': 'authentication_failed', 'modelrun.submission': 'rejected' }],
  ])('is an error when nothing is run: %j, %s', async (fault, message, attributes) => {
    if (fault) harness.server.faults.add({ ...fault, route: 'runModel' })
    const client = harness.connect(fault ? {} : { apiKey: 'sk_test_of_another_service' })
    await expect(client.run(FAST, INPUT, { deadlineMs: 20_000 })).rejects.toThrow()
    expect(harness.only()).toMatchObject({ status: failed(message), attributes })
  })
})
