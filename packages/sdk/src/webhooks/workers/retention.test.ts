import { NonRetriableError } from '@modelrun/kit'
import { expect, test, vi } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { addEnded, openCore } from '../../../test/test-core.ts'
import {
  type InboxHarness,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../../test/test-inbox.ts'
import { removeOldTasks } from './retention.ts'

const { job_id } = SUCCEEDED
const DAY_MS = 86_400_000

/** Lets days pass, and sweeps. */
async function passDays({ clock, inbox }: Pick<InboxHarness, 'clock' | 'inbox'>, days: number): Promise<void> {
  await clock.advance(days * DAY_MS)
  await clock.run(inbox.sweep())
}

test('a finished job is remembered for `keepDoneMs`, then forgotten: its duplicate is handled again', async () => {
  const onSucceeded = vi.fn()
  const harness = openInbox({ onSucceeded, keepDoneMs: 2 * DAY_MS })
  for (const [days, runs] of [
    [0, 1],
    [1, 1],
    [2, 2],
  ] as const) {
    await passDays(harness, days)
    await harness.deliver(SUCCEEDED)
    await settle()
    expect(onSucceeded).toHaveBeenCalledTimes(runs)
  }
})

test('a dead letter is kept for `keepDeadMs`', async () => {
  const onSucceeded = () => {
    throw new NonRetriableError('no', 'no')
  }
  const harness = openInbox({ onSucceeded, keepDeadMs: 3 * DAY_MS })
  await harness.deliver(SUCCEEDED)
  await passDays(harness, 2)
  await expect(harness.inbox.deadLetters.list()).resolves.toHaveLength(1)
  await passDays(harness, 2)
  await expect(harness.inbox.deadLetters.list()).resolves.toEqual([])
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
  await signed.inbox.callbackUrl(undefined, 'context')
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
  const { inbox, clock, deliver } = openInbox({ ...shared, keepDoneMs: 1_000 })
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
  warn.mockRestore()
})

const MINUTE_MS = 60_000
const ended = () => undefined
const died = () => {
  throw new Error('no')
}

test.each([
  ['a result that was handled', { queue: 'results', end: ended, ageMs: 9 * DAY_MS }],
  ['a result that is a dead letter', { queue: 'results', end: died, ageMs: 30 * DAY_MS }],
  ['an expected job', { queue: 'expected', end: ended, ageMs: 9 * DAY_MS }],
  ['a job whose delivery was overdue', { queue: 'overdue', end: ended, ageMs: 9 * DAY_MS }],
  ['a job that was given up', { queue: 'overdue', end: died, ageMs: 30 * DAY_MS }],
  // A day and the difference between the clocks of machines: so long its callback URL can be used.
  ['a run that was prepared', { queue: 'prepared', end: ended, ageMs: DAY_MS + 5 * MINUTE_MS }],
  ['an unverified delivery that was checked', { queue: 'unverified', end: ended, ageMs: MINUTE_MS }],
  ['an unverified delivery that could not be checked', { queue: 'unverified', end: died, ageMs: MINUTE_MS }],
] as const)('%s is kept for its time, and not a millisecond longer', async (_, { queue, end, ageMs }) => {
  const { core, clock, engine } = openCore()
  await addEnded(core.queues[queue], 'task_1', end)
  await clock.advance(ageMs)
  await removeOldTasks(core)
  await expect(engine.task(queue, 'task_1')).resolves.toBeDefined()
  await clock.advance(1)
  await removeOldTasks(core)
  await expect(engine.task(queue, 'task_1')).resolves.toBeUndefined()
})

test('which job a callback URL belongs to is known for as long as the job', async () => {
  const { core, clock, engine } = openCore()
  await core.queues.bindings.add('ref_1', { key: job_id })
  await clock.advance(9 * DAY_MS)
  await removeOldTasks(core)
  await expect(engine.task('bindings', 'ref_1')).resolves.toBeDefined()
  await clock.advance(1)
  await removeOldTasks(core)
  await expect(engine.task('bindings', 'ref_1')).resolves.toBeUndefined()
})

test('what waits or runs is not removed, however old it is', async () => {
  const { core, clock, engine } = openCore()
  const queues = ['results', 'unverified', 'expected', 'overdue', 'prepared'] as const
  for (const queue of queues) await core.queues[queue].add('task_1', {})
  await clock.advance(100 * DAY_MS)
  await removeOldTasks(core)
  for (const queue of queues) await expect(engine.task(queue, 'task_1')).resolves.toMatchObject({ state: 'waiting' })
})

test('a drain ends the removal of old tasks', async () => {
  const { core, clock, engine } = openCore()
  await addEnded(core.queues.results, 'task_1', ended)
  await clock.advance(100 * DAY_MS)
  core.stopping.abort()
  await removeOldTasks(core)
  await expect(engine.task('results', 'task_1')).resolves.toBeDefined()
  expect(engine.calls.list).toBeUndefined()
})
