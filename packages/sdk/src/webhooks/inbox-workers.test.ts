import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import {
  CONFIRMING,
  gate,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import { NotFoundError } from '../client/errors/api-errors.ts'
import type { Inbox } from './inbox.ts'

const { job_id } = SUCCEEDED
const fail = () => {
  throw new Error('no')
}

/** Delivers as a serverless function does, and gives what keeps it alive. */
async function deliverTo(inbox: Inbox, body: unknown = SUCCEEDED) {
  const works: Promise<unknown>[] = []
  const url = await inbox.callbackUrl().catch(() => PUBLIC_URL)
  const request = new Request(url, { method: 'POST', body: JSON.stringify(body) })
  // As the context of a Worker, whose method needs its object.
  const context = {
    works,
    waitUntil(work: Promise<unknown>) {
      this.works.push(work)
    },
  }
  const response = await inbox.handle(request, context)
  return { status: response.status, works, work: Promise.all(works) }
}

describe('start', () => {
  test('takes up what other processes left, and may be called on each of them', async () => {
    const shared = openEngine()
    const first = openInbox({ ...shared, onSucceeded: fail })
    for (let n = 0; n < 20; n++) await first.deliver({ ...SUCCEEDED, job_id: `job_${n}` })
    await first.inbox.drain()
    const onSucceeded = vi.fn()
    const others = [openInbox({ ...shared, onSucceeded }), openInbox({ ...shared, onSucceeded })]
    for (const { inbox } of others) {
      inbox.start()
      inbox.start()
    }
    await shared.clock.advance(2_000)
    expect(new Set(onSucceeded.mock.calls.map(([event]) => event.job_id)).size).toBe(20)
    expect(onSucceeded).toHaveBeenCalledTimes(20)
    await Promise.all(others.map(({ inbox }) => inbox.drain()))
    expect(shared.clock.timerCount).toBe(0)
  })

  test('works inboxes of different names on one engine apart', async () => {
    const shared = openEngine()
    const [ours, theirs] = [vi.fn(), vi.fn()]
    const [a, b] = [
      openInbox({ ...shared, name: 'a', onSucceeded: ours }),
      openInbox({ ...shared, name: 'b', onSucceeded: theirs }),
    ]
    b.inbox.start()
    await a.deliver(SUCCEEDED)
    await settle()
    expect([ours.mock.calls.length, theirs.mock.calls.length]).toEqual([1, 0])
    await b.inbox.drain()
  })
})

describe('sweep', () => {
  test('runs the tasks that are due, returns their number, and ends', async () => {
    const shared = openEngine()
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn()
    const { inbox, clock, notices } = openInbox({ ...shared, client, onSucceeded })
    await inbox.expect('job_due', { pollInMs: 0 })
    await inbox.expect('job_later', { pollInMs: 3_600_000 })
    const startedAt = clock.now()
    await expect(clock.run(inbox.sweep())).resolves.toEqual({ worked: 1 })
    expect(clock.now() - startedAt).toBeLessThan(3_000)
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id: 'job_due' }, { source: 'poll' }]])
    expect(notices.onWebhookMissed).toHaveLength(1)
    await clock.advance(7_200_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('works more than a second of polls, until `forMs` are over', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const { inbox, clock } = openInbox({ ...openEngine(), client })
    for (let n = 0; n < 100; n++) await inbox.expect(`job_${n}`, { pollInMs: 0 })
    await clock.run(inbox.sweep({ forMs: 3_000 }))
    expect(calls.length).toBeGreaterThanOrEqual(30)
    expect(calls.length).toBeLessThanOrEqual(50)
    await clock.run(inbox.sweep())
    expect(calls).toHaveLength(100)
  })

  test.each([false, true])('waits for the handlers that run, unless it is aborted (%s)', async (isAborted) => {
    const shared = openEngine()
    const { opened, open: finish } = gate()
    const first = openInbox({ ...shared, onSucceeded: fail })
    await first.deliver(SUCCEEDED)
    await first.inbox.drain()
    await shared.clock.advance(1_000)
    const { inbox, handled } = openInbox({ ...shared, onSucceeded: () => opened })
    const swept = vi.fn()
    const controller = new AbortController()
    const sweep = inbox.sweep({ forMs: 2_000, signal: controller.signal }).catch(({ name }) => name)
    void sweep.then(swept)
    await shared.clock.advance(60_000)
    expect(swept).not.toHaveBeenCalled()
    if (isAborted) controller.abort()
    if (isAborted) expect(await sweep).toBe('AbortedError')
    finish()
    await settle()
    expect([swept.mock.calls.length, handled()]).toEqual([1, 1])
  })

  test('leaves the workers of deliveries in this process as they were', async () => {
    const onSucceeded = vi.fn().mockImplementationOnce(fail)
    const { inbox, clock, deliver } = openInbox({ onSucceeded, backoffMs: 60_000 })
    await deliver(SUCCEEDED)
    await clock.run(inbox.sweep())
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledTimes(2)
  })

  test('does nothing when the inbox is drained', async () => {
    const { inbox, clock } = openInbox()
    await inbox.drain()
    await expect(inbox.sweep()).resolves.toEqual({ worked: 0 })
    expect(clock.timerCount).toBe(0)
  })
})

describe('waitUntil', () => {
  test('gets the work; what fails runs again in the next sweep, unless it is due before', async () => {
    const shared = openEngine()
    const onSucceeded = vi.fn().mockImplementationOnce(fail)
    const { inbox, clock, handled } = openInbox({ ...shared, client: CONFIRMING, onSucceeded, backoffMs: 60_000 })
    const { status, works, work } = await deliverTo(inbox)
    await clock.run(work)
    expect([status, works.length, onSucceeded.mock.calls.length]).toEqual([202, 1, 1])
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await expect(clock.run(inbox.sweep())).resolves.toEqual({ worked: 1 })
    expect(handled()).toBe(1)
  })

  test('ends 1.5 s after the last work, and at once when a drain has started', async () => {
    const { inbox, clock } = openInbox(openEngine())
    const startedAt = clock.now()
    await clock.run((await deliverTo(inbox)).work)
    expect(clock.now() - startedAt).toBe(1_500)
    const { work } = await deliverTo(inbox)
    await clock.run(inbox.drain())
    await work
    expect([clock.now() - startedAt, clock.timerCount]).toEqual([1_500, 0])
  })

  test('does not wait for a duplicate that another process works', async () => {
    const shared = openEngine()
    const other = openInbox({ ...shared, onSucceeded: () => new Promise(() => {}) })
    await other.deliver(SUCCEEDED)
    await settle()
    const { inbox, clock } = openInbox(shared)
    const startedAt = clock.now()
    const { work } = await deliverTo(inbox)
    await clock.run(work)
    expect(clock.now() - startedAt).toBeLessThanOrEqual(10_000)
  })

  test('checks an invented delivery, and waits for the handler of a confirmed one', async () => {
    const { client } = jobsOf((id) => {
      if (id === job_id) return SUCCEEDED_JOB
      throw new NotFoundError({ message: 'no such job', status: 404, apiCode: 'NOT_FOUND' })
    })
    const { inbox, clock, handled } = openInbox({ ...openEngine(), client })
    await clock.run((await deliverTo(inbox, { ...SUCCEEDED, job_id: 'invented' })).work)
    expect(handled()).toBe(0)
    await clock.run((await deliverTo(inbox)).work)
    expect(handled()).toBe(1)
  })

  test.each([
    ['throws', fail],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('that %s costs neither the response nor the work', async (_, waitUntil) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { inbox, handled } = openInbox(openEngine())
    const request = new Request(await inbox.callbackUrl(), { method: 'POST', body: JSON.stringify(SUCCEEDED) })
    await expect(inbox.handle(request, { waitUntil })).resolves.toMatchObject({ status: 202 })
    await settle()
    expect([handled(), warn.mock.calls.length]).toEqual([1, 1])
  })
})
