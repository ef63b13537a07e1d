import { NonRetriableError } from '@modelrun/kit'
import { expect, test } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { addEnded, type CoreHarness, openCore, storedJob } from '../../test/test-core.ts'
import { SUCCEEDED } from '../../test/test-inbox.ts'
import { expected, heard, type JobNews, putJob, readStoredJob } from './stored-job.ts'

const { job_id } = SUCCEEDED
const delivery = heard(storedJob({ ref: 'ref_1' }))
const note = expected({ context: 'mine', notedAt: 7 })

function put({ core }: CoreHarness, change: JobNews['change'], news: Partial<JobNews> = {}) {
  return core.queues.jobs
    .get(job_id)
    .then((task) => putJob(core.queues, { key: job_id, change, delayMs: 60_000, ...news }, task))
}

const jobIn = async ({ engine }: CoreHarness) => readStoredJob((await engine.task('results', job_id))?.data)

test.each([
  ['a delivery, then `expect`', [delivery, note]],
  ['`expect`, then a delivery', [note, delivery]],
])('%s: the job has both, and is due', async (_, changes) => {
  const harness = openCore()
  for (const change of changes) await put(harness, change)
  await expect(jobIn(harness)).resolves.toMatchObject({
    ...{ isExpected: true, context: 'mine', ref: 'ref_1', event: SUCCEEDED },
  })
  const worker = harness.core.queues.jobs.work(async () => undefined, {})
  await settle()
  await worker.stop()
  await expect(harness.engine.task('results', job_id)).resolves.toMatchObject({ state: 'done' })
})

test('both at once: neither is lost, whichever is first', async () => {
  for (const changes of [
    [delivery, note],
    [note, delivery],
  ]) {
    const harness = openCore()
    await Promise.all(changes.map((change) => put(harness, change)))
    await expect(jobIn(harness)).resolves.toMatchObject({ isExpected: true, context: 'mine', event: SUCCEEDED })
  }
})

test('the first delivery counts, and a duplicate changes nothing and hurries nothing', async () => {
  const harness = openCore()
  await put(harness, delivery)
  const { calls } = harness.engine
  const other = heard(storedJob({ event: { ...SUCCEEDED, credits_used: 99 } }))
  await put(harness, other)
  await put(harness, other)
  expect(calls.update).toBeUndefined()
  await expect(jobIn(harness)).resolves.toMatchObject({ event: SUCCEEDED })
})

test('a job that is done stays so', async () => {
  const harness = openCore()
  await addEnded(harness.core.queues.jobs, job_id, () => undefined)
  for (const change of [delivery, note]) await put(harness, change)
  await expect(harness.engine.task('results', job_id)).resolves.toMatchObject({ state: 'done', data: { notedAt: 0 } })
})

test('a dead letter stays so, and has the context that comes later', async () => {
  const harness = openCore()
  await put(harness, delivery)
  const worker = harness.core.queues.jobs.work(() => Promise.reject(new NonRetriableError('no', 'no')), {})
  await harness.clock.advance(60_000)
  await worker.stop()
  await put(harness, note)
  await expect(harness.engine.task('results', job_id)).resolves.toMatchObject({
    state: 'dead',
    data: { context: 'mine', event: SUCCEEDED },
  })
})

test('a job that was given up is worked again when its delivery comes after all, with its context', async () => {
  const harness = openCore()
  await put(harness, note, { delayMs: 0 })
  const worker = harness.core.queues.jobs.work(() => Promise.reject(new NonRetriableError('gave_up', 'no')), {})
  await settle()
  await worker.stop()
  await put(harness, delivery)
  await expect(harness.engine.task('results', job_id)).resolves.toMatchObject({
    state: 'waiting',
    data: { context: 'mine', event: SUCCEEDED },
  })
})

test('a delivery that was dropped is forgotten, except for unverified senders', async () => {
  const harness = openCore()
  await addEnded(harness.core.queues.jobs, job_id, () => ({ isDropped: true }))
  await put(harness, delivery, { isUnverified: true })
  await expect(harness.engine.task('results', job_id)).resolves.toMatchObject({ state: 'done' })
  await put(harness, note)
  await expect(harness.engine.task('results', job_id)).resolves.toMatchObject({ state: 'waiting' })
})

test('what is written twice, because a response was lost, is there once', async () => {
  const harness = openCore()
  for (const method of ['add', 'update'] as const) harness.engine.fail(method, 'after')
  await expect(put(harness, note)).rejects.toThrow('was lost')
  await put(harness, note)
  await expect(put(harness, delivery)).rejects.toThrow('was lost')
  await put(harness, delivery)
  await expect(jobIn(harness)).resolves.toMatchObject({ isExpected: true, context: 'mine', event: SUCCEEDED })
  expect(harness.engine.calls).toMatchObject({ add: 1, update: 1 })
})
