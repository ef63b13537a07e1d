import { describe, expect, it } from 'vitest'
import { FAST, INPUT, ROOT, UNSET, useTraceHarness } from './trace-harness.ts'

const JOB_ID = expect.stringMatching(/^job_/)

describe('the spans of a run that meets failures', () => {
  const harness = useTraceHarness()

  it('are errors, with a message, when the job fails', async () => {
    harness.server.script(FAST, [
      { result: 'failed', after_ms: 5_000, error: { code: 'PROVIDER_FAILURE', message: 'no paint' } },
    ])
    await expect(harness.connect().run(FAST, INPUT, { mode: 'async' })).rejects.toThrow('no paint')
    const { run, submit, wait } = harness.tree()
    const failed = { status: { code: 'ERROR', message: 'The job failed: PROVIDER_FAILURE' } }
    expect(run).toMatchObject({ ...failed, events: [] })
    expect(run?.attributes).toMatchObject({
      'error.type': 'job_failed',
      'gen_ai.response.id': JOB_ID,
      'modelrun.job.status': 'failed',
      'modelrun.submission': 'accepted',
    })
    expect(wait).toMatchObject(failed)
    expect(wait?.attributes).toMatchObject({ 'error.type': 'job_failed', 'modelrun.job.status': 'failed' })
    expect(submit).toMatchObject({ status: UNSET })
  })

  it('are errors when the deadline passes, and say where the job was', async () => {
    harness.server.script(FAST, [{ result: 'hang' }])
    await expect(harness.connect().run(FAST, INPUT, { deadlineMs: 20_000 })).rejects.toThrow('deadlineMs')
    const { run, wait } = harness.tree()
    for (const span of [run, wait]) {
      expect(span?.status).toEqual({ code: 'ERROR', message: 'deadlineMs passed' })
      expect(span?.attributes).toMatchObject({ 'error.type': 'deadline_exceeded', 'modelrun.job.status': 'processing' })
    }
  })

  it('are not errors when the caller aborts, and say that it did', async () => {
    harness.server.script(FAST, [{ result: 'hang' }])
    const controller = new AbortController()
    const onStatus = ({ status }: { status: string }) => status === 'processing' && controller.abort()
    await expect(harness.connect().run(FAST, INPUT, { signal: controller.signal, onStatus })).rejects.toThrow('aborted')
    const { run, wait } = harness.tree()
    for (const span of [run, wait]) {
      expect(span?.status).toEqual(UNSET)
      expect(span?.attributes).toMatchObject({ 'modelrun.aborted': true, 'modelrun.job.status': 'processing' })
      expect(span?.attributes).not.toHaveProperty('error.type')
    }
    expect(run?.attributes).toMatchObject({ 'modelrun.submission': 'accepted' })
  })

  it('say that it is not known whether a run counts that is aborted in its hold', async () => {
    const controller = new AbortController()
    const client = harness.connect({
      fetch: (url, init) => {
        queueMicrotask(() => controller.abort())
        return harness.server.fetch(url, init)
      },
    })
    await expect(client.run(FAST, INPUT, { mode: 'sync', signal: controller.signal })).rejects.toThrow('aborted')
    const { run, submit } = harness.tree()
    expect(run).toMatchObject({
      status: UNSET,
      attributes: { 'modelrun.submission': 'unknown', 'modelrun.aborted': true },
    })
    expect(submit).toMatchObject({ status: UNSET, attributes: { 'modelrun.aborted': true } })
  })

  it('show retries as events of the submission', async () => {
    harness.server.faults.add({ kind: 'refused', route: 'runModel', times: 1 })
    harness.server.faults.add({ kind: 'rate-limit', route: 'runModel', times: 1, retry_after: 3 })
    await harness.connect().run(FAST, INPUT)
    const { run, submit } = harness.tree()
    expect(submit?.events).toEqual([
      ['modelrun.retry', { 'modelrun.reason': 'ECONNREFUSED', 'modelrun.delay_ms': 250 }],
      ['modelrun.retry', { 'modelrun.reason': 'HTTP 429', 'modelrun.delay_ms': 3_000 }],
    ])
    expect(submit).toMatchObject({
      status: UNSET,
      attributes: { 'http.request.resend_count': 2, 'http.response.status_code': 200 },
    })
    expect(run?.status).toEqual(UNSET)
  })

  it('are errors when the service cannot be reached', async () => {
    harness.server.faults.add({ kind: 'refused', route: 'runModel' })
    await expect(harness.connect().run(FAST, INPUT)).rejects.toThrow('ECONNREFUSED')
    const { names, run, submit } = harness.tree()
    expect(names).toEqual(['modelrun.submit', ROOT])
    for (const span of [run, submit]) {
      expect(span?.status).toEqual({ code: 'ERROR', message: 'The connection failed: ECONNREFUSED' })
      expect(span?.attributes).toMatchObject({ 'error.type': 'connection_failed' })
    }
    expect(run?.attributes).toMatchObject({ 'modelrun.submission': 'not_sent' })
    expect(submit?.attributes).toMatchObject({ 'http.request.resend_count': 2 })
    expect(submit?.attributes).not.toHaveProperty('http.response.status_code')
    expect(submit?.events).toHaveLength(2)
  })

  it('are errors with the status when the service rejects the run', async () => {
    await expect(harness.connect({ apiKey: 'sk_test_of_another_service' }).run(FAST, INPUT)).rejects.toThrow(
      'UNAUTHORIZED',
    )
    const { run, submit } = harness.tree()
    for (const span of [run, submit]) {
      expect(span?.status).toEqual({ code: 'ERROR', message: 'HTTP 401 UNAUTHORIZED' })
      expect(span?.attributes).toMatchObject({ 'error.type': 'authentication_failed' })
    }
    expect(submit?.attributes).toMatchObject({ 'http.response.status_code': 401 })
    expect(run?.attributes).toMatchObject({ 'modelrun.submission': 'rejected' })
  })

  it('say why a poll failed, without an error when the job succeeds', async () => {
    harness.server.faults.add({ kind: 'unavailable', route: 'getJob', times: 1 })
    harness.server.faults.add({ kind: 'reset', route: 'getJob', times: 1 })
    await harness.connect().run(FAST, INPUT, { mode: 'async' })
    const { run, wait } = harness.tree()
    expect(wait?.events.slice(1, 3)).toEqual([
      ['modelrun.poll', { 'modelrun.reason': 'HTTP 503' }],
      ['modelrun.poll', { 'modelrun.reason': 'ECONNRESET' }],
    ])
    expect([run?.status, wait?.status]).toEqual([UNSET, UNSET])
  })
})
