import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { addEnded, openCore } from '../../test/test-core.ts'
import {
  CONFIRMING,
  type InboxHarness,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import { moveOldTasks, removeOldTasks } from './retention.ts'

const { job_id } = SUCCEEDED
const DAY_MS = 86_400_000

/** Lets days pass, and sweeps. */
async function passDays({ clock, inbox }: Pick<InboxHarness, 'clock' | 'inbox'>, days: number): Promise<void> {
  await clock.advance(days * DAY_MS)
  await clock.run(inbox.sweep())
}

test('a finished job is remembered for `keepDoneMs`, then forgotten: its duplicate is handled again', async () => {
  const onSucceeded = vi.fn()
  const harness = openInbox({ onSucceeded, keepDoneMs: 10 * DAY_MS })
  for (const [days, runs] of [
    [0, 1],
    [9, 1],
    [2, 2],
  ] as const) {
    await passDays(harness, days)
    await harness.deliver(SUCCEEDED)
    await settle()
    expect(onSucceeded).toHaveBeenCalledTimes(runs)
  }
})

// The time limit is for a busy machine: a timer fires in each minute of 22 days.
test('nothing is left in the engine of jobs, runs, URLs and deliveries in the end', async () => {
  const shared = openEngine()
  const { client } = jobsOf(() => SUCCEEDED_JOB)
  const signed = openInbox({ ...shared, client, secret: SECRET, publicUrl: PUBLIC_URL })
  const open = openInbox({ ...shared, client, name: 'open' })
  const { url, ref } = await signed.inbox.prepare()
  await signed.inbox.expect(job_id, { ref })
  await signed.inbox.prepare()
  await signed.inbox.expect('job_2')
  await signed.deliver(SUCCEEDED, url)
  for (let n = 0; n < 250; n++) await open.deliver({ ...SUCCEEDED, job_id: `job_${n}` })
  await shared.clock.advance(100_000)
  for (const days of [2, 10, 10]) {
    // Both have one clock.
    await passDays(signed, days)
    await shared.clock.run(open.inbox.sweep())
  }
  const left = []
  for (const queue of ['results', 'unverified', 'expected', 'prepared', 'bindings']) {
    for (const state of ['waiting', 'running', 'done', 'dead'] as const) {
      left.push(...(await shared.engine.list(`inbox:${queue}`, state)))
      left.push(...(await shared.engine.list(`open:${queue}`, state)))
    }
  }
  expect(left).toEqual([])
})

test('an engine that fails does not stop the removal of old tasks for good', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const shared = openEngine()
  const { inbox, clock, deliver } = openInbox({ ...shared, client: CONFIRMING, keepDoneMs: 1_000 })
  inbox.start()
  await deliver(SUCCEEDED)
  await settle()
  shared.engine.fail('list', 'before')
  await clock.advance(60_000)
  expect(warn.mock.calls.join()).toContain('could not remove old tasks')
  await expect(shared.engine.task('results', job_id)).resolves.toMatchObject({ state: 'done' })
  await clock.advance(60_000)
  await expect(shared.engine.task('results', job_id)).resolves.toBeUndefined()
  await inbox.drain()
})

const ended = () => undefined
const died = () => {
  throw new Error('no')
}

test.each([
  ['a result that was handled', { queue: 'jobs', end: ended, ageMs: 9 * DAY_MS }],
  ['a dead letter', { queue: 'jobs', end: died, ageMs: 30 * DAY_MS }],
  ['a run that had a callback URL', { queue: 'runs', end: ended, ageMs: 9 * DAY_MS }],
  ['a dead letter with `keepDeadMs`', { queue: 'jobs', end: died, ageMs: 3 * DAY_MS, keepDeadMs: 3 * DAY_MS }],
  ['a result with `keepDoneMs`', { queue: 'jobs', end: ended, ageMs: 12 * DAY_MS, keepDoneMs: 12 * DAY_MS }],
] as const)('%s is kept for its time, and not a millisecond longer', async (_, { queue, end, ageMs, ...options }) => {
  const { core, clock } = openCore(options)
  await addEnded(core.queues[queue], 'task_1', end)
  await clock.advance(ageMs)
  await removeOldTasks(core)
  await expect(core.queues[queue].get('task_1')).resolves.toBeDefined()
  await clock.advance(1)
  await removeOldTasks(core)
  await expect(core.queues[queue].get('task_1')).resolves.toBeUndefined()
})

test('what waits or runs is not removed, however old it is', async () => {
  const { core, clock } = openCore()
  for (const queue of [core.queues.jobs, core.queues.runs]) await queue.add('task_1', {})
  await clock.advance(100 * DAY_MS)
  await removeOldTasks(core)
  for (const queue of [core.queues.jobs, core.queues.runs]) {
    await expect(queue.get('task_1')).resolves.toMatchObject({ state: 'waiting' })
  }
})

test('a drain ends the removal of old tasks', async () => {
  const { core, clock, engine } = openCore()
  await addEnded(core.queues.jobs, 'task_1', ended)
  await clock.advance(100 * DAY_MS)
  core.stopping.abort()
  await removeOldTasks(core)
  await expect(engine.task('results', 'task_1')).resolves.toBeDefined()
})

describe('what version 0.1.0 stored', () => {
  const delivered = (job_id: string) => ({
    ...{ source: 'webhook', token: 'none', event: { ...SUCCEEDED, job_id }, receivedAt: 0 },
  })

  test('is moved: jobs that it expected, polled, gave up, or was to check, and the jobs of URLs', async () => {
    const { core, engine } = openCore()
    const { jobs, old } = core.queues
    const notedAt = core.options.clock.now()
    await old('expected').add('expected', { context: 1, notedAt }, 60_000)
    await old('overdue').add('overdue', { context: 2, notedAt })
    await addEnded(old('overdue'), 'lost', died)
    await old('unverified').add('random', delivered('unverified'))
    await old('bindings').add('ref_1', { key: 'bound' })
    // Its delivery came, and its handler has failed: the context was in the other queue.
    await jobs.add('delivered', delivered('delivered'))
    await addEnded(old('expected'), 'delivered', ended)
    await addEnded(old('expected'), 'forgotten', ended)
    await moveOldTasks(core)
    const stored = async (id: string) => (await engine.task('results', id))?.data
    await expect(stored('expected')).resolves.toMatchObject({ isExpected: true, context: 1, notedAt })
    await expect(stored('overdue')).resolves.toMatchObject({ isExpected: true, context: 2, notedAt })
    await expect(stored('lost')).resolves.toMatchObject({ isExpected: true })
    await expect(stored('unverified')).resolves.toMatchObject({ token: 'none', event: { job_id: 'unverified' } })
    await expect(stored('delivered')).resolves.toMatchObject({ isExpected: true, event: { job_id: 'delivered' } })
    await expect(stored('forgotten')).resolves.toBeUndefined()
    await expect(engine.task('prepared', 'ref_1')).resolves.toMatchObject({ data: { key: 'bound' } })
    for (const kind of ['expected', 'overdue', 'unverified', 'bindings'] as const) {
      for (const state of ['waiting', 'done', 'dead'] as const) await expect(old(kind).list(state)).resolves.toEqual([])
    }
  })

  test('is moved again by the next process when one dies in between', async () => {
    const { core, engine } = openCore()
    await core.queues.old('expected').add('expected', { context: 1, notedAt: 0 })
    engine.fail('remove', 'before')
    await expect(moveOldTasks(core)).rejects.toThrow('remove failed')
    await moveOldTasks(core)
    await expect(engine.list('inbox:results', 'waiting')).resolves.toMatchObject([{ data: { context: 1 } }])
    await expect(core.queues.old('expected').list('waiting')).resolves.toEqual([])
  })
})
