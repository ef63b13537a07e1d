import { NonRetriableError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { FAILED, jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { NotFoundError } from '../client/errors/api-errors.ts'
import type { WebhookEvent } from './webhook-event.ts'

const { job_id } = SUCCEEDED

/** An inbox whose handlers fail for good until the test mends them. */
function openBroken() {
  const handler = vi.fn().mockImplementation(() => {
    throw new NonRetriableError('no_table', 'the table is missing')
  })
  const harness = openInbox({ onSucceeded: handler, onFailed: handler, onUnknown: handler })
  return { ...harness, handler, mend: () => handler.mockImplementation(() => {}) }
}

describe('deadLetters', () => {
  test('lists results that could not be handled, the oldest first, in pages', async () => {
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
      code: 'no_table',
      error: 'the table is missing',
      ageMs: 2_000,
      cursor: expect.any(String),
    })
    expect(second).toMatchObject({ jobId: 'job 2?:%', event: { status: 'failed' } })
    expect(third).toMatchObject({ key: 'job_3', jobId: 'job_3', event: { status: 'unknown' } })
    await expect(inbox.deadLetters.list({ limit: 1, after: first?.cursor })).resolves.toEqual([second])
  })

  test('has a job before `onDead` and `waitFor` say so, and all get copies of its event', async () => {
    const seen: unknown[] = []
    const corrupt = ({ event }: { event?: WebhookEvent | undefined }) => {
      seen.push(structuredClone(event))
      Object.assign(event ?? {}, { job_id: 'mine', output: undefined })
    }
    const onSucceeded = (event: WebhookEvent) => {
      corrupt({ event })
      throw new Error('no')
    }
    const listed: Promise<object[]>[] = []
    const list = () => listed.push(inbox.deadLetters.list())
    const onDead = (notice: { event?: WebhookEvent | undefined }) => [list(), corrupt(notice)]
    const { inbox, deliver } = openInbox({ maxAttempts: 1, onSucceeded, onHandlerError: corrupt, onDead })
    await deliver(SUCCEEDED)
    seen.push(await inbox.waitFor(job_id))
    list()
    expect(seen).toEqual([SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED])
    expect(await Promise.all(listed)).toMatchObject([[{ jobId: job_id }], [{ jobId: job_id }]])
  })

  test('gives 50 by default', async () => {
    const { inbox, deliver } = openBroken()
    for (let n = 0; n < 60; n++) await deliver({ ...FAILED, job_id: `job_${n}` })
    await settle()
    const page = await inbox.deadLetters.list()
    expect(page).toHaveLength(50)
    await expect(inbox.deadLetters.list({ after: page.at(-1)?.cursor })).resolves.toHaveLength(10)
  })

  test('replays one at once, with all its attempts, however its id is written', async () => {
    const { inbox, deliver, mend, handler, handled } = openBroken()
    const event = { ...SUCCEEDED, job_id: 'a:b?c' }
    await deliver(event)
    await settle()
    mend()
    await expect(inbox.deadLetters.replay('a:b?c')).resolves.toBe(true)
    await settle()
    expect(handler.mock.calls[1]).toMatchObject([event, { attempt: 1, fence: 2 }])
    expect(handled()).toBe(1)
    await expect(inbox.deadLetters.replay('a:b?c')).resolves.toBe(false)
    await expect(inbox.deadLetters.list()).resolves.toEqual([])
  })

  test('lists expected jobs that were given up, and polls one again', async () => {
    let isKnown = false
    const { client } = jobsOf(() => {
      if (!isKnown) throw new NotFoundError({ message: 'no such job', status: 404, apiCode: 'NOT_FOUND' })
      return SUCCEEDED_JOB
    })
    const onSucceeded = vi.fn()
    const { inbox, clock } = openInbox({ client, onSucceeded })
    inbox.start()
    await inbox.expect(job_id, { pollInMs: 0, context: 'mine' })
    await clock.advance(10_000)
    await expect(inbox.deadLetters.list()).resolves.toMatchObject([
      { jobId: job_id, event: undefined, context: 'mine', code: 'not_found' },
    ])
    isKnown = true
    await expect(inbox.deadLetters.replay(job_id)).resolves.toBe(true)
    await settle()
    expect(onSucceeded.mock.calls).toMatchObject([[{ status: 'succeeded' }, { context: 'mine', source: 'poll' }]])
  })
})
