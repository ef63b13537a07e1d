import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { openCore, resultTask, taskOf } from '../../../test/test-core.ts'
import { jobsOf, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../../test/test-inbox.ts'
import { NotFoundError, ServerError } from '../../client/errors/api-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { UnknownEvent } from '../webhook-event.ts'
import { handleResult } from './handle-result.ts'

const { job_id } = SUCCEEDED
const UNKNOWN: UnknownEvent = { status: 'unknown', job_id, reported_status: 'paused', payload: { status: 'paused' } }
const HOSTED = {
  ...SUCCEEDED,
  output: { type: 'image', items: [{ type: 'image', url: 'https://evil.example.net/0' }] },
}
const fail = (error: unknown) => () => {
  throw error
}

/** What `waitFor` gets of the job: the event, or the error. */
function waiting({ subscribers }: InboxCore) {
  const outcome = vi.fn()
  subscribers.wait(job_id).event.then(outcome, outcome)
  return outcome
}

describe('the result of a job', () => {
  test('is handled, and only another event than the delivered one is kept with its task', async () => {
    const onSucceeded = vi.fn()
    const { core, count } = openCore({ onSucceeded })
    const outcome = waiting(core)
    await expect(handleResult(core, resultTask())).resolves.toBeUndefined()
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { attempt: 1, fence: 1, idempotencyKey: job_id }]])
    expect([count('completed'), count('retaken'), count('failed')]).toEqual([1, 0, 0])
    await settle()
    expect(outcome).toHaveBeenCalledWith(SUCCEEDED)
  })

  test('that the service says otherwise is kept as the service says it, for other processes', async () => {
    const { core } = openCore({ client: jobsOf(() => SUCCEEDED_JOB).client })
    const { output } = SUCCEEDED_JOB
    const event = { job_id, status: 'succeeded', output }
    await expect(handleResult(core, resultTask({ event: HOSTED }))).resolves.toEqual({ event })
  })

  test('that an older version wrote and this one cannot read is a dead letter', async () => {
    const { core } = openCore()
    await expect(handleResult(core, taskOf(job_id, { old: true }))).rejects.toMatchObject({
      name: 'NonRetriableError',
      code: 'unreadable',
      message: 'The engine has a delivery that cannot be read.',
    })
  })

  test('of a delivery with a newer status gets a task of its own, and the delivery counts for nothing', async () => {
    const onSucceeded = vi.fn()
    const { core, engine } = openCore({ client: jobsOf(() => SUCCEEDED_JOB).client, onSucceeded })
    const task = resultTask({ event: UNKNOWN })
    await expect(handleResult(core, { ...task, id: `${job_id}?paused` })).resolves.toEqual({ isDropped: true })
    expect(onSucceeded).not.toHaveBeenCalled()
    await expect(engine.task('results', job_id)).resolves.toMatchObject({
      data: { source: 'poll', event: { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output } },
    })
  })

  test('is not handled with a lock that has ended: another worker may have it', async () => {
    for (const leftMs of [0, -1]) {
      const onSucceeded = vi.fn()
      const { core, notices } = openCore({ onSucceeded })
      const late = handleResult(core, resultTask({}, { msLeft: () => leftMs }))
      await expect(late).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 0 })
      expect(onSucceeded).not.toHaveBeenCalled()
      expect(notices.onHandlerError).toEqual([])
    }
  })

  test('of another host than `allowedOutputHosts` is a dead letter, which `waitFor` gets', async () => {
    const { core, notices, count } = openCore({ allowedOutputHosts: ['files.example.com'] })
    const outcome = waiting(core)
    const error = await handleResult(core, resultTask({ event: HOSTED }, { attempt: 2, lost: 3 })).catch((e) => e)
    expect(error).toMatchObject({ name: 'NonRetriableError', code: 'forbidden_host' })
    expect(notices.onDead).toEqual([{ jobId: job_id, event: HOSTED, attempt: 5, error, context: undefined }])
    expect(count('dead')).toBe(1)
    await settle()
    expect(outcome).toHaveBeenCalledWith(HOSTED)
  })
})

describe('a result whose process died', () => {
  test('counts as retaken, and its handler gets to know that it may have run', async () => {
    const onSucceeded = vi.fn()
    const { core, metrics } = openCore({ onSucceeded })
    await handleResult(core, resultTask({}, { attempt: 2, lost: 1, fence: 5 }))
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { attempt: 3, fence: 5 }]])
    expect(metrics[0]).toEqual({ name: 'retaken', value: 1, jobId: job_id })
  })

  test('and whose handler then fails for the last time has all its runs in the notices', async () => {
    const error = new Error('no')
    const { core, notices } = openCore({ onSucceeded: fail(error), maxAttempts: 2 })
    await expect(handleResult(core, resultTask({}, { attempt: 2, lost: 3 }))).rejects.toBe(error)
    expect(notices.onHandlerError).toEqual([{ event: SUCCEEDED, attempt: 5, error, isLast: true }])
    expect(notices.onDead).toEqual([{ jobId: job_id, event: SUCCEEDED, attempt: 5, error, context: undefined }])
  })
})

describe('a result that the service is asked about', () => {
  test('waits while the service is away: no notice, and `waitFor` still waits', async () => {
    const { core, notices } = openCore({
      client: jobsOf(fail(new ServerError({ message: 'down', status: 503 }))).client,
    })
    const outcome = waiting(core)
    await expect(handleResult(core, resultTask())).rejects.toMatchObject({ name: 'RetryAfterError', delayMs: 1_000 })
    await settle()
    expect([notices.onDead, outcome.mock.calls]).toEqual([[], []])
  })

  test('cannot be confirmed without a client: `waitFor` rejects with what went wrong', async () => {
    const { core, notices } = openCore({ secret: SECRET, trust: 'token' })
    const outcome = waiting(core)
    const error = await handleResult(core, resultTask({ token: 'expired' })).catch((e) => e)
    expect(error).toMatchObject({ code: 'unconfirmed', message: 'The inbox has no client to confirm a result with.' })
    await settle()
    expect(outcome.mock.calls).toMatchObject([[{ name: 'JobLostError', message: error.message, jobId: job_id }]])
    expect(notices.onDead).toEqual([{ jobId: job_id, event: SUCCEEDED, attempt: 1, error, context: undefined }])
  })

  test('is dropped when the service does not have the job, and its id is free a second later', async () => {
    const missing = new NotFoundError({ message: 'no such job', status: 404 })
    const { core, clock, engine, count } = openCore({ client: jobsOf(fail(missing)).client })
    await core.queues.results.add(job_id, {})
    await expect(handleResult(core, resultTask({}, { attempt: 3 }))).resolves.toEqual({ isDropped: true })
    expect(count('rejected')).toBe(1)
    await clock.advance(999)
    await expect(engine.task('results', job_id)).resolves.toBeDefined()
    await clock.advance(1)
    await expect(engine.task('results', job_id)).resolves.toBeUndefined()
  })
})

describe('a callback URL that belongs to another job', () => {
  const context = { notedAt: 0, context: 'of the other job' }

  test('has a result dropped that only its token is valid for', async () => {
    const onSucceeded = vi.fn()
    const { core, metrics } = openCore({ secret: SECRET, trust: 'token', onSucceeded })
    await core.queues.bindings.add('ref_1', { key: 'job_other' })
    await expect(handleResult(core, resultTask({ ref: 'ref_1' }))).resolves.toEqual({ isDropped: true })
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(metrics).toEqual([{ name: 'rejected', value: 1, jobId: job_id }])
  })

  test('does not lend its context to a result that the service confirms', async () => {
    const onSucceeded = vi.fn()
    const { core } = openCore({ client: jobsOf(() => SUCCEEDED_JOB).client, onSucceeded })
    await core.queues.bindings.add('ref_1', { key: 'job_other' })
    await core.queues.prepared.add('ref_1', context)
    await handleResult(core, resultTask({ ref: 'ref_1' }))
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { context: undefined }]])
  })
})
