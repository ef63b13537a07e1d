import { expect, test } from 'vitest'
import { openCore } from '../../../test/test-core.ts'
import { SUCCEEDED } from '../../../test/test-inbox.ts'
import { bindToJob, contextOf } from './prepared-runs.ts'

const { job_id } = SUCCEEDED

async function openNoted() {
  const harness = openCore()
  await harness.core.queues.prepared.add('ref_1', { notedAt: 1, context: 'prepared' })
  return { ...harness, delivery: { jobId: job_id, ref: 'ref_1' } }
}

test('a delivery that comes before the response to its run has the context of its callback URL', async () => {
  const { core, delivery } = await openNoted()
  await expect(contextOf(core.queues, delivery)).resolves.toEqual({ notedAt: 1, context: 'prepared' })
  await expect(contextOf(core.queues, { jobId: job_id, ref: 'ref_2' })).resolves.toBeUndefined()
})

test('what the job was expected with counts more, and costs one read', async () => {
  const { core, engine, delivery } = await openNoted()
  await core.queues.expected.add(job_id, { notedAt: 2, context: 'expected' })
  await expect(contextOf(core.queues, delivery)).resolves.toEqual({ notedAt: 2, context: 'expected' })
  expect(engine.calls.get).toBe(1)
})

test('a delivery without a reference costs one read', async () => {
  const { core, engine } = await openNoted()
  await expect(contextOf(core.queues, { jobId: job_id, ref: undefined })).resolves.toBeUndefined()
  expect(engine.calls.get).toBe(1)
})

test('a callback URL belongs to the first job that is bound to it', async () => {
  const { core } = openCore()
  await expect(bindToJob(core.queues, 'ref_1', job_id)).resolves.toBe(true)
  await expect(bindToJob(core.queues, 'ref_1', 'job_other')).resolves.toBe(false)
  await expect(bindToJob(core.queues, 'ref_1', job_id)).resolves.toBe(true)
})

test('a callback URL whose job was forgotten meanwhile lends no context', async () => {
  const { core } = openCore()
  core.queues.bindings.get = async () => undefined
  await expect(bindToJob(core.queues, 'ref_1', job_id)).resolves.toBe(false)
})
