import type { Job } from '@modelrun/contract'
import { describe, expect, test, vi } from 'vitest'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, gate, jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'
import { PermanentError } from '../inbox-errors.ts'
import { createMemoryStore } from '../store/memory-store.ts'

const { job_id } = SUCCEEDED

/** A memory store that says that it is shared, for two inboxes of one test. */
function openShared() {
  const clock = createManualClock()
  const store = { ...createMemoryStore({ clock }), guarantees: { durable: true, shared: true, transactional: false } }
  return { clock, store }
}

describe('waitFor, in the process that handles the job', () => {
  test('resolves for everybody who waits once the handler is done', async () => {
    const { opened, open: finish } = gate()
    const { inbox, deliver } = openInbox({ onSucceeded: () => opened })
    const done = vi.fn()
    const waits = Promise.all([inbox.waitFor(job_id), inbox.waitFor(job_id)])
    void waits.then(done)
    await deliver(SUCCEEDED)
    await settle()
    expect(done).not.toHaveBeenCalled()
    finish()
    await expect(waits).resolves.toEqual([SUCCEEDED, SUCCEEDED])
  })

  test('resolves at once for a job that is done', async () => {
    const { inbox, deliver } = openInbox()
    await deliver(FAILED)
    await settle()
    await expect(inbox.waitFor(FAILED.job_id)).resolves.toEqual(FAILED)
  })

  test('resolves when the handler has failed for the last time', async () => {
    const { inbox, clock, deliver } = openInbox({ onSucceeded: () => Promise.reject(new Error('no')) })
    const waiting = inbox.waitFor(job_id)
    await deliver(SUCCEEDED)
    await expect(clock.run(waiting)).resolves.toEqual(SUCCEEDED)
  })

  test('does not take an event of unknown status for the end, but for a job that was cancelled', async () => {
    const { inbox, deliver } = openInbox()
    const done = vi.fn()
    void inbox.waitFor(job_id).then(done)
    await deliver({ job_id, status: 'processing' })
    await settle()
    expect(done).not.toHaveBeenCalled()
    await deliver({ job_id, status: 'cancelled' })
    await settle()
    expect(done).toHaveBeenCalledWith(expect.objectContaining({ status: 'unknown', reported_status: 'cancelled' }))
  })

  test('leaves no timer, whatever ends it', async () => {
    const { clock, store } = openShared()
    const { inbox, deliver } = openInbox({ clock, store })
    const waiting = inbox.waitFor(job_id)
    await clock.advance(10_000)
    await deliver(SUCCEEDED)
    await waiting
    await settle()
    expect(clock.timerCount).toBe(0)
  })

  test('rejects when its signal aborts', async () => {
    const { clock, store } = openShared()
    const { inbox } = openInbox({ clock, store })
    const controller = new AbortController()
    const waiting = inbox.waitFor(job_id, { signal: controller.signal })
    await settle()
    controller.abort('enough')
    await expect(waiting).rejects.toMatchObject({ name: 'AbortedError', cause: 'enough', jobId: job_id })
    await settle()
    expect(clock.timerCount).toBe(0)
    await expect(inbox.waitFor(job_id, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortedError' })
  })

  test('rejects when the inbox is drained, and leaves no timer', async () => {
    const { clock, store } = openShared()
    const { inbox } = openInbox({ clock, store })
    const waiting = inbox.waitFor(job_id)
    const rejected = expect(waiting).rejects.toThrow('The inbox is drained')
    await settle()
    await inbox.drain()
    await rejected
    await settle()
    expect(clock.timerCount).toBe(0)
  })
})

describe('waitFor, in another process', () => {
  test('looks at the store: after 1 s, then less often, and reads the result from the service', async () => {
    const { clock, store } = openShared()
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const worker = openInbox({ clock, store })
    const get = vi.spyOn(store, 'get')
    const waiter = openInbox({ clock, store, client })
    const waiting = waiter.inbox.waitFor(job_id)
    await clock.advance(60_000)
    expect(get.mock.calls.length).toBeLessThan(12)
    await worker.deliver(SUCCEEDED)
    await clock.advance(15_000)
    await expect(waiting).resolves.toEqual({ job_id, status: 'succeeded', output: SUCCEEDED_JOB.output })
    expect(calls).toEqual([job_id])
  })

  test('gives the event of a dead letter when nobody but the delivery vouches for it', async () => {
    const { clock, store } = openShared()
    const worker = openInbox({
      clock,
      store,
      onSucceeded: () => {
        throw new PermanentError('no')
      },
    })
    await worker.deliver(SUCCEEDED)
    await settle()
    await expect(openInbox({ clock, store }).inbox.waitFor(job_id)).resolves.toEqual(SUCCEEDED)
    // An inbox that verifies asks the service.
    const { client } = jobsOf((): Job => ({ status: 'failed', error: { code: 'X', message: 'x' } }))
    await expect(openInbox({ clock, store, client }).inbox.waitFor(job_id)).resolves.toMatchObject({ status: 'failed' })
  })

  test('rejects for a job that was lost', async () => {
    const { clock, store } = openShared()
    await store.expect(job_id, { pollInMs: 0 })
    await store.postpone(job_id, 0, { kind: 'dead', keepMs: 1_000_000 }, 'nobody knows it')
    await expect(openInbox({ clock, store }).inbox.waitFor(job_id)).rejects.toThrow('was given up: nobody knows it')
  })

  test('without a client, says that the result cannot be read', async () => {
    const { clock, store } = openShared()
    await openInbox({ clock, store }).deliver(SUCCEEDED)
    await settle()
    await expect(openInbox({ clock, store }).inbox.waitFor(job_id)).rejects.toThrow('no `client` to read its result')
  })

  test('outlives a store that fails for a while', async () => {
    const { clock, store } = openShared()
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const get = vi.spyOn(store, 'get').mockRejectedValueOnce(new Error('down'))
    const waiting = openInbox({ clock, store, client }).inbox.waitFor(job_id)
    await openInbox({ clock, store }).deliver(SUCCEEDED)
    await clock.advance(2_000)
    await expect(waiting).resolves.toMatchObject({ status: 'succeeded' })
    expect(get.mock.calls.length).toBeGreaterThan(1)
  })
})

describe('listen', () => {
  test('is told of a confirmed event before its handler runs', async () => {
    const seen: string[] = []
    const { inbox, deliver } = openInbox({ onSucceeded: () => seen.push('handler') })
    const stop = inbox.listen(job_id, ({ status }) => seen.push(status))
    inbox.listen('another job', () => seen.push('wrong'))
    await deliver(SUCCEEDED)
    await settle()
    expect(seen).toEqual(['succeeded', 'handler'])
    stop()
    stop()
    await deliver({ job_id, status: 'newer' })
    await settle()
    expect(seen).toEqual(['succeeded', 'handler'])
  })

  test('is told of a result that was confirmed before, after it has returned', async () => {
    const { inbox, deliver } = openInbox()
    await deliver(SUCCEEDED)
    await settle()
    const listener = vi.fn()
    inbox.listen(job_id, listener)
    expect(listener).not.toHaveBeenCalled()
    await settle()
    expect(listener.mock.calls).toEqual([[SUCCEEDED]])
    const stopped = vi.fn()
    inbox.listen(job_id, stopped)()
    await settle()
    expect(stopped).not.toHaveBeenCalled()
  })

  test('is not told of what the service does not confirm', async () => {
    const { client } = jobsOf(() => ({ status: 'processing' }))
    const { inbox, deliver, clock } = openInbox({ client })
    const listener = vi.fn()
    inbox.listen(job_id, listener)
    await deliver(SUCCEEDED)
    await clock.advance(60_000)
    expect(listener).not.toHaveBeenCalled()
  })

  test('harms nothing when it throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { inbox, deliver, count } = openInbox()
    inbox.listen(job_id, () => {
      throw new Error('no')
    })
    await deliver(SUCCEEDED)
    await settle()
    expect([count('completed'), log.mock.calls.length]).toEqual([1, 1])
    log.mockRestore()
  })
})
