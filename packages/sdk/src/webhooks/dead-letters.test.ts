import { describe, expect, test, vi } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { FAILED, jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../testing/test-inbox.ts'
import { PermanentError } from './inbox-errors.ts'

const { job_id } = SUCCEEDED

/** An inbox whose handlers fail for good until the test mends them. */
function openBroken() {
  const handler = vi.fn().mockImplementation(() => {
    throw new PermanentError('the table is missing')
  })
  const bench = openInbox({ onSucceeded: handler, onFailed: handler, onUnknown: handler })
  return { ...bench, handler, mend: () => handler.mockImplementation(() => {}) }
}

describe('deadLetters', () => {
  test('lists what could not be handled, the oldest first, in pages', async () => {
    const { inbox, deliver, clock } = openBroken()
    await inbox.expect(job_id, { context: { order: 7 } })
    await deliver(SUCCEEDED)
    await clock.advance(1_000)
    await deliver({ ...FAILED, job_id: 'job 2?:%' })
    await clock.advance(1_000)
    await deliver({ job_id: 'job_3', status: 'newer' })
    await settle()
    const [first, second, third] = await inbox.deadLetters.list()
    expect(first).toEqual({
      key: job_id,
      jobId: job_id,
      event: SUCCEEDED,
      context: { order: 7 },
      attempt: 1,
      error: 'PermanentError: the table is missing',
      ageMs: 2_000,
    })
    expect(second).toMatchObject({ jobId: 'job 2?:%', event: { status: 'failed' } })
    expect(third).toMatchObject({ key: 'job_3?newer', jobId: 'job_3', event: { status: 'unknown' } })
    const page = await inbox.deadLetters.list({ limit: 1, after: first?.key })
    expect(page).toEqual([second])
  })

  test('handles one once more, with all its attempts, at once', async () => {
    const { inbox, deliver, mend, handler, count, clock } = openBroken()
    await deliver(SUCCEEDED)
    await settle()
    mend()
    await expect(inbox.deadLetters.replay(job_id)).resolves.toBe(true)
    await clock.advance(0)
    expect(handler.mock.calls[1]).toMatchObject([SUCCEEDED, { attempt: 1, fence: 2 }])
    expect(count('completed')).toBe(1)
    await expect(inbox.deadLetters.replay(job_id)).resolves.toBe(false)
    await expect(inbox.deadLetters.list()).resolves.toEqual([])
  })

  test('finds one by its job id, however that is written', async () => {
    const { inbox, deliver, mend, count, clock } = openBroken()
    await deliver({ ...FAILED, job_id: 'a:b?c' })
    await settle()
    mend()
    await expect(inbox.deadLetters.replay('a:b?c')).resolves.toBe(true)
    await clock.advance(0)
    expect(count('completed')).toBe(1)
  })

  test('has the service asked again for a job that was lost', async () => {
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn()
    const { inbox, store, clock } = openInbox({ client, onSucceeded })
    await store.expect(job_id, { pollInMs: 0, context: { context: 'mine' } })
    await store.postpone(job_id, 0, { kind: 'dead', keepMs: 1_000_000 }, 'given up')
    await expect(inbox.deadLetters.list()).resolves.toMatchObject([{ event: undefined, error: 'given up' }])
    await inbox.deadLetters.replay(job_id)
    await clock.advance(10)
    expect(onSucceeded).not.toHaveBeenCalled()
    await inbox.reconcile()
    expect(onSucceeded.mock.calls).toMatchObject([[{ status: 'succeeded' }, { context: 'mine', source: 'poll' }]])
  })
})
