import { AsyncLocalStorage } from 'node:async_hooks'
import { NonRetriableError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import type { InboxHarness } from '../../test/test-inbox.ts'
import { gate, jobsOf, openEngine, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { NotFoundError } from '../client/errors/api-errors.ts'
import { createSubscribers } from './subscribers.ts'
import type { WebhookEvent } from './webhook-event.ts'

const { job_id } = SUCCEEDED

describe('waitFor, in the process that handles the job', () => {
  test('resolves for each caller once the handler is done', async () => {
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

  test('keeps its process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const { inbox, deliver } = openInbox()
    const before = timers()
    const wait = inbox.waitFor(job_id)
    await settle()
    expect(timers()).toBe(before + 1)
    await deliver(SUCCEEDED)
    await wait
    expect(timers()).toBe(before)
  })

  test('gets a copy of the event, as listeners and handlers do', async () => {
    const corrupt = (event: WebhookEvent) => {
      Object.assign(event, { job_id: 'mine', status: 'failed', output: undefined })
    }
    const seen: unknown[] = []
    const note = (event: WebhookEvent) => {
      seen.push(structuredClone(event))
      corrupt(event)
    }
    const { inbox, deliver } = openInbox({ onSucceeded: note, onFailed: note })
    inbox.listen(job_id, note)
    const waits = [inbox.waitFor(job_id), inbox.waitFor(job_id)].map((wait) => wait.then(note))
    await deliver(SUCCEEDED)
    await Promise.all(waits)
    note(await inbox.waitFor(job_id))
    expect(seen).toEqual([SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED])
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

  test.each<[string, (harness: InboxHarness, controller: AbortController) => unknown, object]>([
    ['the end of the job', ({ deliver }) => deliver(SUCCEEDED), SUCCEEDED],
    [
      'its signal',
      (_, controller) => controller.abort('enough'),
      { name: 'AbortedError', cause: 'enough', jobId: job_id },
    ],
    ['a drain', ({ inbox }) => inbox.drain(), { message: expect.stringContaining('The inbox is drained') }],
  ])('leaves no timer after %s', async (_, end, outcome) => {
    const harness = openInbox(openEngine())
    const controller = new AbortController()
    const waiting = harness.inbox.waitFor(job_id, { signal: controller.signal }).catch((error) => error)
    await harness.clock.advance(10_000)
    await end(harness, controller)
    await expect(waiting).resolves.toMatchObject(outcome)
    await harness.inbox.drain()
    await settle()
    expect(harness.clock.timerCount).toBe(0)
  })
})

describe('waitFor, in another process', () => {
  test('reads the engine after 1 s, then less often, and gives what the handler got', async () => {
    const { clock, engine } = openEngine()
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const worker = openInbox({ clock, engine, client })
    const waiter = openInbox({ clock, engine, client })
    await waiter.inbox.expect(job_id)
    const before = engine.calls.get ?? 0
    const waiting = waiter.inbox.waitFor(job_id)
    await clock.advance(60_000)
    expect((engine.calls.get ?? 0) - before).toBeLessThan(12)
    await worker.deliver({ ...SUCCEEDED, output: { type: 'image', items: [] } })
    await clock.advance(15_000)
    await expect(waiting).resolves.toEqual({ job_id, status: 'succeeded', output: SUCCEEDED_JOB.output })
    expect(calls).toEqual([job_id])
  })

  test('gives the event of a dead letter', async () => {
    const { clock, engine } = openEngine()
    const onSucceeded = () => {
      throw new NonRetriableError('no', 'no')
    }
    await openInbox({ clock, engine, onSucceeded }).deliver(SUCCEEDED)
    await settle()
    await expect(openInbox({ clock, engine }).inbox.waitFor(job_id)).resolves.toEqual(SUCCEEDED)
  })

  test.each(['cancelled', 'succeeded'])('gives the end of a job that is %s without an output', async (status) => {
    const { clock, engine } = openEngine()
    const { client } = jobsOf(() => ({ status }))
    const worker = openInbox({ clock, engine, client })
    worker.inbox.start()
    await worker.inbox.expect(job_id, { pollInMs: 0 })
    const waiting = openInbox({ clock, engine, client }).inbox.waitFor(job_id)
    await clock.advance(5_000)
    await expect(waiting).resolves.toMatchObject({ status: 'unknown', reported_status: status })
  })

  test('rejects for a job that was lost', async () => {
    const { clock, engine } = openEngine()
    const { client } = jobsOf(() => {
      throw new NotFoundError({ message: 'no such job', status: 404, apiCode: 'NOT_FOUND' })
    })
    const worker = openInbox({ clock, engine, client })
    worker.inbox.start()
    await worker.inbox.expect(job_id, { pollInMs: 0 })
    const waits = [worker, openInbox({ clock, engine, client })].map(({ inbox }) => inbox.waitFor(job_id))
    const lost = waits.map((waiting) => expect(waiting).rejects.toMatchObject({ name: 'JobLostError', jobId: job_id }))
    await clock.advance(20_000)
    await Promise.all(lost)
  })
})

test('100 results are remembered for a wait that starts later; a wait ends with its own job alone', async () => {
  const subscribers = createSubscribers()
  const outcomes = ['job_0', 'job_1', 'job_none'].map((id) => {
    const outcome = vi.fn()
    return {
      id,
      outcome,
      wait: () => void new Promise((ended, lost) => subscribers.add(id, { ended, lost })).then(outcome, outcome),
    }
  })
  for (let n = 0; n <= 100; n++) subscribers.ended({ ...SUCCEEDED, job_id: `job_${n}` })
  for (const { wait } of outcomes) wait()
  await settle()
  expect(outcomes.map(({ outcome }) => outcome.mock.calls.length)).toEqual([0, 1, 0])
  subscribers.close(new Error('over'))
  await settle()
  expect(outcomes.map(({ outcome }) => outcome.mock.calls.length)).toEqual([1, 1, 1])
  expect(outcomes[2]?.outcome).toHaveBeenCalledWith(new Error('over'))
})

test('a delivery that is never confirmed counts for nothing, in this process and in another one', async () => {
  const { clock, engine } = openEngine()
  const { client } = jobsOf(() => ({ status: 'processing' }))
  const options = { clock, engine, client, giveUpAfterMs: 60_000 }
  const worker = openInbox(options)
  await worker.inbox.expect(job_id)
  const waits = [worker, openInbox(options)].map(({ inbox }) => inbox.waitFor(job_id))
  const rejected = waits.map((waiting) => expect(waiting).rejects.toMatchObject({ name: 'JobLostError' }))
  await worker.deliver(SUCCEEDED)
  await clock.advance(120_000)
  await Promise.all(rejected)
  expect(worker.notices.onDead).toMatchObject([{ jobId: job_id }])
})

describe('listen', () => {
  test('gets a confirmed event before its handler runs', async () => {
    const seen: string[] = []
    const { inbox, deliver } = openInbox({ onSucceeded: () => seen.push('handler') })
    const mine = new AsyncLocalStorage<string>()
    const listener = ({ status }: WebhookEvent) => seen.push(`${status} in ${mine.getStore()}`)
    const stop = mine.run('my context', () => inbox.listen(job_id, listener))
    inbox.listen('another job', () => seen.push('wrong'))
    await deliver(SUCCEEDED)
    await settle()
    expect(seen).toEqual(['succeeded in my context', 'handler'])
    stop()
    stop()
    await deliver({ job_id, status: 'newer' })
    await settle()
    expect(seen).toEqual(['succeeded in my context', 'handler'])
  })

  test('gets a result that was confirmed before, after it has returned', async () => {
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
})
