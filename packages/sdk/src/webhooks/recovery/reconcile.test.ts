import type { Job } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
import { RateLimitError } from '../../errors/api-errors.ts'
import { ConnectionError } from '../../errors/transport-errors.ts'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock } from '../../testing/manual-clock.ts'
import {
  jobsOf,
  openInbox,
  openStartedInbox as openStarted,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../testing/test-inbox.ts'
import { createMemoryStore } from '../store/memory-store.ts'

const { job_id } = SUCCEEDED
const RUNNING: Job = { status: 'processing' }

describe('looks at overdue jobs', () => {
  const expectMany = async (inbox: ReturnType<typeof openInbox>['inbox'], count: number) => {
    for (let n = 0; n < count; n++) await inbox.expect(`job_${n}`, { pollInMs: 0 })
  }

  test('are at most 2 in a second', async () => {
    const clock = createManualClock()
    const times: number[] = []
    const startedAt = clock.now()
    const { client } = jobsOf(() => {
      times.push(clock.now() - startedAt)
      return RUNNING
    })
    const { inbox } = openInbox({ clock, client })
    await expectMany(inbox, 120)
    await expect(clock.run(inbox.reconcile())).resolves.toMatchObject({ found: 120 })
    expect(times).toHaveLength(120)
    expect(times).toEqual(Array.from({ length: 120 }, (_, n) => Math.floor(n / 2) * 1_000))
  })

  test('are at most 4 at once', async () => {
    const clock = createManualClock()
    let running = 0
    let most = 0
    const { client } = jobsOf(async () => {
      running++
      most = Math.max(most, running)
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 30_000))
      running--
      return RUNNING
    })
    const { inbox } = openInbox({ clock, client })
    await expectMany(inbox, 12)
    await clock.run(inbox.reconcile())
    expect(most).toBe(4)
  })

  test('are shared by processes: each job is looked at once, and two are twice as fast as one', async () => {
    const clock = createManualClock()
    const startedAt = clock.now()
    const { client, calls } = jobsOf(() => RUNNING)
    const first = openInbox({ clock, client })
    const second = openInbox({ clock, client, store: first.store })
    await expectMany(first.inbox, 40)
    await clock.run(Promise.all([first.inbox.reconcile(), second.inbox.reconcile()]))
    expect(new Set(calls).size).toBe(40)
    expect(calls).toHaveLength(40)
    expect(clock.now() - startedAt).toBeLessThanOrEqual(10_000)
  })

  test('stop for as long as a 429 says', async () => {
    const { client, calls } = jobsOf(() => {
      throw new RateLimitError({ message: 'slower', status: 429, retryAfterMs: 100_000 })
    })
    const { inbox, clock } = openInbox({ client })
    await expectMany(inbox, 20)
    await clock.run(inbox.reconcile())
    const looks = calls.length
    // Those that had begun.
    expect(looks).toBe(2)
    await clock.advance(98_000)
    await clock.run(inbox.reconcile())
    expect(calls).toHaveLength(looks)
    await clock.advance(3_000)
    await clock.run(inbox.reconcile())
    expect(calls.length).toBeGreaterThan(looks)
  })

  test('and reads of the store stop with the first 429, however many jobs are overdue', async () => {
    const { client, calls } = jobsOf(() => {
      throw new RateLimitError({ message: 'slower', status: 429, retryAfterMs: 100_000 })
    })
    const clock = createManualClock()
    const store = createFaultyStore(createMemoryStore({ clock }))
    const { inbox } = openInbox({ client, clock, store })
    await expectMany(inbox, 120)
    await clock.run(inbox.reconcile())
    await clock.run(inbox.reconcile())
    expect(store.calls.due).toBe(1)
    expect(calls).toHaveLength(2)
  })

  test('that fail lose no job: it is looked at later', async () => {
    let isDown = true
    const { inbox, clock, count, told } = openStarted(() => {
      if (isDown) throw new ConnectionError({ message: 'reset' })
      return SUCCEEDED_JOB
    })
    await inbox.expect(job_id)
    await clock.advance(2 * 86_400_000)
    expect(told.onLost).toEqual([])
    isDown = false
    await clock.advance(16 * 60_000)
    expect(count('reconciled')).toBe(1)
    await inbox.drain()
  })

  test('end when the inbox is drained, and leave nothing', async () => {
    const { inbox, clock } = openStarted(() => RUNNING)
    await expectMany(inbox, 20)
    await clock.advance(17_000)
    await inbox.drain()
    expect(clock.timerCount).toBe(0)
  })
})

describe('reconcile with ids of your own', () => {
  test('looks at those now, and works on what has ended', async () => {
    const { client, calls } = jobsOf((id) => (id === 'job_2' ? SUCCEEDED_JOB : RUNNING))
    const { inbox, count } = openInbox({ client })
    const report = await inbox.reconcile({ listPending: async () => ['job_1', 'job_2'] })
    expect(report).toEqual({ found: 2, reconciled: 1, lost: 0 })
    expect(calls).toEqual(['job_1', 'job_2'])
    expect(count('completed')).toBe(1)
  })

  test.each([
    ['one id alone, whose letters are no ids', 'job_1', '`listPending` of `inbox.reconcile` must be'],
    ['an empty id', ['job_1', ''], '`jobId` of `inbox.reconcile` must be an id'],
  ])('rejects %s, and looks at nothing', async (_, ids, problem) => {
    const { client, calls } = jobsOf(() => RUNNING)
    const { inbox } = openInbox({ client })
    await expect(inbox.reconcile({ listPending: () => ids })).rejects.toThrow(problem)
    expect(calls).toEqual([])
  })

  test('does not look sooner at a job that is expected already', async () => {
    const { client, calls } = jobsOf(() => RUNNING)
    const { inbox } = openInbox({ client })
    await inbox.expect('job_1')
    await expect(inbox.reconcile({ listPending: () => ['job_1'] })).resolves.toEqual({
      found: 0,
      reconciled: 0,
      lost: 0,
    })
    expect(calls).toEqual([])
  })

  test('needs a client', async () => {
    await expect(openInbox().inbox.reconcile({ listPending: () => ['job_1'] })).rejects.toThrow('needs a `client`')
  })
})

describe('a store that fails', () => {
  test('makes reconcile reject, and no other job is looked at', async () => {
    const { client, calls } = jobsOf(() => RUNNING)
    const clock = createManualClock()
    const store = createFaultyStore(createMemoryStore({ clock }))
    const { inbox } = openInbox({ client, clock, store })
    for (let n = 0; n < 20; n++) await inbox.expect(`job_${n}`, { pollInMs: 0 })
    store.fail('postpone', 'before', 99)
    await expect(clock.run(inbox.reconcile())).rejects.toThrow('postpone failed')
    expect(calls).toEqual([])
    expect(store.calls.postpone).toBeLessThanOrEqual(4)
  })
})

test('jobs that are given up are counted', async () => {
  const { inbox, clock } = openInbox({ client: jobsOf(() => RUNNING).client })
  await inbox.expect('job_1')
  await inbox.expect('job_2')
  await clock.advance(86_400_000)
  await expect(clock.run(inbox.reconcile())).resolves.toEqual({ found: 2, reconciled: 0, lost: 2 })
})
