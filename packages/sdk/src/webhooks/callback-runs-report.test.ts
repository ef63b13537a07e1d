import { expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { openCore, taskOf } from '../../test/test-core.ts'
import { openInbox, PUBLIC_URL, SECRET, SUCCEEDED } from '../../test/test-inbox.ts'
import { reportRun } from './callback-runs.ts'

const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const context = { order: 7 }

test('a run without a job is an alarm after 15 minutes, once; its delivery still has its context', async () => {
  const onSucceeded = vi.fn()
  const { inbox, deliver, clock, notices } = openInbox({ ...signed, onSucceeded })
  inbox.start()
  const { url, ref } = await inbox.prepare({ modelId: 'aurora-image', context })
  await clock.advance(899_999)
  expect(notices.onUnconfirmedRun).toEqual([])
  await clock.advance(1)
  expect(notices.onUnconfirmedRun).toEqual([{ ref, modelId: 'aurora-image', context }])
  await clock.advance(7_200_000)
  expect(notices.onUnconfirmedRun).toHaveLength(1)
  await deliver(SUCCEEDED, url)
  await settle()
  expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { context }]])
  await inbox.drain()
})

test('a run whose delivery came is not an alarm, although its job was never expected', async () => {
  const { inbox, deliver, clock, notices, count } = openInbox(signed)
  inbox.start()
  const { url } = await inbox.prepare()
  await deliver(SUCCEEDED, url)
  await clock.advance(1_000_000)
  expect([count('completed'), notices.onUnconfirmedRun]).toEqual([1, []])
  await inbox.drain()
})

test.each([
  ['whose url was created without a run', { notedAt: 0, context }],
  ['that an older version wrote and this one cannot read', { old: true }],
])('a note %s is not an alarm', async (_, note) => {
  const { core, notices } = openCore()
  await expect(reportRun(core, taskOf('ref_1', note))).resolves.toBeUndefined()
  expect(notices.onUnconfirmedRun).toEqual([])
})

test('a run is an alarm with what it was prepared with', async () => {
  const { core, notices } = openCore()
  await reportRun(core, taskOf('ref_1', { isPrepared: true, notedAt: 0 }))
  expect(notices.onUnconfirmedRun).toEqual([{ ref: 'ref_1', modelId: undefined, context: undefined }])
})

test('a run whose callback URL belongs to a job is not an alarm', async () => {
  const { core, notices } = openCore()
  await reportRun(core, taskOf('ref_1', { isPrepared: true, key: SUCCEEDED.job_id, notedAt: 0 }))
  expect(notices.onUnconfirmedRun).toEqual([])
})
