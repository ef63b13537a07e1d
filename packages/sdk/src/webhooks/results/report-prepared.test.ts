import { expect, test, vi } from 'vitest'
import { settle } from '../../testing/manual-clock.ts'
import { openInbox, PUBLIC_URL, SECRET, SUCCEEDED } from '../../testing/test-inbox.ts'

const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const context = { order: 7 }

test('a run of which nothing was heard is an alarm after 15 minutes, once; its delivery still has its context', async () => {
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
