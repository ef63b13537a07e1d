import type { Job } from '@modelrun/contract'
import { describe, expect, test, vi } from 'vitest'
import { NotFoundError, PermissionDeniedError } from '../../errors/api-errors.ts'
import { settle } from '../../testing/manual-clock.ts'
import {
  jobsOf,
  openInbox,
  openStartedInbox as openStarted,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../testing/test-inbox.ts'

const { job_id } = SUCCEEDED
const RUNNING: Job = { status: 'processing' }
const notFound = new NotFoundError({ message: 'no such job', status: 404 })

const passed = () => {
  throw new Error('unreachable')
}

describe('a job whose delivery does not come', () => {
  test('is looked at after a minute, then at twice the time up to 15 minutes', async () => {
    const { inbox, clock, times } = openStarted(() => RUNNING)
    await inbox.expect(job_id)
    await clock.advance(2 * 3_600_000)
    // Looks begin at the first tick of 15 s that follows.
    const minutes = times.map((time) => time / 60_000)
    expect(minutes).toEqual([1, 3, 7, 15, 30, 45, 60, 75, 90, 105, 120])
    await inbox.drain()
  })

  test('jitters its looks by a fifth', async () => {
    const waits: number[] = []
    for (const random of [0, 0.999_999]) {
      const { inbox, clock, store } = openInbox({ client: jobsOf(() => RUNNING).client, random: () => random })
      await inbox.expect(job_id)
      await clock.advance(60_000)
      await inbox.reconcile()
      waits.push((await store.get(job_id))?.dueInMs ?? 0)
    }
    expect(waits.map(Math.round)).toEqual([96_000, 144_000])
  })

  test('is handled by what the service says, and the alarm is given', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, count, told, store } = openStarted(() => SUCCEEDED_JOB, { onSucceeded })
    await inbox.expect(job_id, { context: { order: 7 } })
    await clock.advance(75_000)
    const event = { job_id, status: 'succeeded', output: SUCCEEDED_JOB.output }
    expect(onSucceeded.mock.calls).toMatchObject([[event, { source: 'poll', attempt: 1, context: { order: 7 } }]])
    expect(told.onWebhookMissed).toEqual([{ jobId: job_id, event, context: { order: 7 } }])
    expect([count('reconciled'), count('completed')]).toEqual([1, 1])
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'done' })
    await inbox.drain()
    expect(clock.timerCount).toBe(0)
  })

  test('is handled once when the delivery comes after all', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver, told } = openStarted(() => SUCCEEDED_JOB, { onSucceeded })
    await inbox.expect(job_id)
    await clock.advance(75_000)
    await expect(deliver(SUCCEEDED)).resolves.toBe(200)
    expect(onSucceeded).toHaveBeenCalledOnce()
    // It says the same, but for what only deliveries have.
    expect(told.onConflict).toEqual([])
    await inbox.drain()
  })

  test('that was cancelled reaches `onUnknown`', async () => {
    const onUnknown = vi.fn()
    const { inbox, clock } = openStarted(() => ({ status: 'cancelled' }), { onUnknown })
    await inbox.expect(job_id)
    await clock.advance(75_000)
    expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'cancelled' }, { source: 'poll' }]])
    await inbox.drain()
  })

  test('costs the service no request when it comes', async () => {
    const { inbox, clock, deliver, calls } = openStarted(passed, { trust: 'payload' })
    await inbox.expect(job_id)
    await clock.advance(59_000)
    await deliver(SUCCEEDED)
    await clock.advance(3_600_000)
    expect(calls).toEqual([])
    await inbox.drain()
  })

  test('is given up a day later, once', async () => {
    const { inbox, clock, told, count, store, calls } = openStarted(() => RUNNING)
    await inbox.expect(job_id, { context: 'mine' })
    const waited = inbox.waitFor(job_id).catch((error: unknown) => error)
    await clock.advance(86_400_000 - 60_000)
    expect(told.onLost).toEqual([])
    await clock.advance(16 * 60_000)
    expect(told.onLost).toEqual([{ jobId: job_id, reason: 'gave_up', context: 'mine' }])
    expect(count('dead')).toBe(1)
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'dead' })
    expect(String(await waited)).toContain('JobLostError')
    const looks = calls.length
    await clock.advance(86_400_000)
    expect(calls).toHaveLength(looks)
    await inbox.drain()
  })

  test('is still handled when its delivery comes after it was given up', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = openStarted(() => RUNNING, {
      onSucceeded,
      giveUpAfterMs: 60_000,
      trust: 'payload',
    })
    await inbox.expect(job_id)
    await clock.advance(75_000)
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
    await inbox.drain()
  })

  test('is looked at once more before it is given up, when nobody looked for days', async () => {
    const onSucceeded = vi.fn()
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const { inbox, clock, told } = openInbox({ client, onSucceeded })
    await inbox.expect(job_id)
    await clock.advance(3 * 86_400_000)
    await expect(inbox.reconcile()).resolves.toEqual({ found: 1, reconciled: 1, lost: 0 })
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(told.onLost).toEqual([])
  })

  test('is given up once, also when two processes do so at the same time', async () => {
    const first = openInbox()
    const { clock, store } = first
    const second = openInbox({ clock, store })
    await first.inbox.expect(job_id)
    // Its store is tested, so that both are equally fast.
    await second.inbox.sweep()
    await clock.advance(86_400_000)
    const reports = await Promise.all([first.inbox.reconcile(), second.inbox.reconcile()])
    expect(reports.map(({ lost }) => lost).toSorted()).toEqual([0, 1])
    expect([...first.told.onLost, ...second.told.onLost]).toHaveLength(1)
    expect(first.count('dead') + second.count('dead')).toBe(1)
  })

  test('without a client, is given up in time without a look', async () => {
    const { inbox, clock, told } = openInbox()
    inbox.start()
    await inbox.expect(job_id)
    await clock.advance(86_400_000 + 16 * 60_000)
    expect(told.onLost).toMatchObject([{ reason: 'gave_up' }])
    await inbox.drain()
  })
})

test('a job that the service refuses to show is given up in time, and each look is logged', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { inbox, clock, told } = openStarted(() => {
    throw new PermissionDeniedError({ message: 'not yours', status: 403 })
  })
  await inbox.expect(job_id)
  await clock.advance(86_400_000 + 16 * 60_000)
  expect(told.onLost).toMatchObject([{ reason: 'gave_up' }])
  expect(warn.mock.calls[0]?.[0]).toContain(`the overdue job ${job_id} could not be looked at`)
  await inbox.drain()
  warn.mockRestore()
})

describe('a job that the service does not know', () => {
  test('is lost at the third look', async () => {
    const { inbox, clock, told, calls } = openStarted(() => {
      throw notFound
    })
    await inbox.expect(job_id)
    await clock.advance(3_600_000)
    expect(calls).toHaveLength(3)
    expect(told.onLost).toEqual([{ jobId: job_id, reason: 'not_found', context: undefined }])
    await inbox.drain()
  })

  test('is lost at the third look, whichever processes look', async () => {
    const { client, calls } = jobsOf(() => {
      throw notFound
    })
    const first = openInbox({ client })
    const { clock, store } = first
    await first.inbox.expect(job_id)
    for (let n = 0; n < 5; n++) {
      await clock.advance(3_600_000)
      await openInbox({ client, clock, store }).inbox.reconcile()
    }
    expect(calls).toHaveLength(3)
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'dead' })
  })
})
