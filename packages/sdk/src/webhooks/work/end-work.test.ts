import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../testing/manual-clock.ts'
import { jobsOf, openBusyInbox, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'
import { PermanentError } from '../inbox-errors.ts'

const { job_id } = SUCCEEDED

describe('a handler that failed', () => {
  test('makes no dead letter when another worker has the job meanwhile', async () => {
    const onSucceeded = () => Promise.reject(new PermanentError('the order was deleted'))
    const { deliver, store, told, count } = openBusyInbox({ onSucceeded })
    vi.spyOn(store, 'release').mockResolvedValue('lost')
    await deliver(SUCCEEDED)
    await settle()
    expect(told.onHandlerError).toHaveLength(1)
    expect([told.onDead, count('dead')]).toEqual([[], 0])
  })

  test('has the first 500 characters of its error stored', async () => {
    const onSucceeded = () => Promise.reject(new PermanentError('x'.repeat(9_000)))
    const { deliver, store } = openBusyInbox({ onSucceeded })
    await deliver(SUCCEEDED)
    await settle()
    expect((await store.get(job_id))?.lastError).toHaveLength(500)
  })

  test('is told with the result that it was called with, which is the one of the service', async () => {
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = () => Promise.reject(new Error('no'))
    const { deliver, told } = openBusyInbox({ client, onSucceeded })
    await deliver({ ...SUCCEEDED, output: { type: 'image', items: [] } })
    await settle()
    expect(told.onHandlerError).toMatchObject([{ event: { output: SUCCEEDED_JOB.output } }])
  })
})

test('a job that its handler has marked as done is not marked again', async () => {
  const { deliver, store, count } = openBusyInbox({ onSucceeded: (_, { complete }) => complete() })
  await deliver(SUCCEEDED)
  await settle()
  expect([store.calls.complete, count('completed')]).toEqual([1, 1])
})

describe('a job whose workers died again and again', () => {
  /** A job that workers took and left when they died. */
  async function openAfter(deaths: number) {
    const onSucceeded = vi.fn()
    const bench = openInbox({ onSucceeded })
    const payload = { source: 'webhook', token: 'none', event: SUCCEEDED }
    for (let death = 0; death < deaths; death++) {
      await bench.store.claim(job_id, { owner: 'dead', leaseMs: 60_000, fingerprint: 'x', payload })
      await bench.clock.advance(60_000)
    }
    return { ...bench, onSucceeded }
  }

  test('is handled when one attempt of it is left', async () => {
    const { inbox, onSucceeded } = await openAfter(7)
    await inbox.sweep()
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { attempt: 8 }]])
  })

  test('is lost for those who wait for it, for its result was never confirmed', async () => {
    const { inbox, store, clock } = await openAfter(8)
    const waited = inbox.waitFor(job_id).catch((error: unknown) => error)
    await inbox.sweep()
    await clock.advance(1)
    expect(await waited).toMatchObject({ name: 'JobLostError', jobId: job_id })
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'dead' })
  })
})

test('a job that waits for its delivery again by the time it is claimed is left to the polls', async () => {
  const onUnknown = vi.fn()
  const { inbox, store, told } = openInbox({ onSucceeded: onUnknown, onFailed: onUnknown, onUnknown })
  await inbox.expect(job_id)
  // As a process found it that was slow to claim it: another one has put it back meanwhile.
  const due = { key: job_id, reason: 'retry', polls: 0, ageMs: 0, context: undefined } as const
  vi.spyOn(store, 'due').mockResolvedValueOnce([due])
  await inbox.sweep()
  expect(onUnknown).not.toHaveBeenCalled()
  const record = await store.get(job_id)
  expect(record).toMatchObject({ state: 'expected', dueInMs: 0 })
  expect([record?.lastError, told.onHandlerError]).toEqual([undefined, []])
})
