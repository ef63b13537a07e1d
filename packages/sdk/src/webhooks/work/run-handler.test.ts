import { expect, test } from 'vitest'
import { settle } from '../../testing/manual-clock.ts'
import { openInbox, SUCCEEDED } from '../../testing/test-inbox.ts'
import type { DeliveryContext } from '../inbox-options.ts'

test('`complete` of a handler keeps what is done for as long as the inbox says', async () => {
  const onSucceeded = (_: unknown, { complete }: DeliveryContext) => complete()
  const { deliver, store } = openInbox({ onSucceeded, keepDoneMs: 5_000_000 })
  await deliver(SUCCEEDED)
  await settle()
  await expect(store.get(SUCCEEDED.job_id)).resolves.toMatchObject({ state: 'done', dueInMs: 5_000_000 })
})

test('`complete` says that it is the call with the wrong option', async () => {
  const onSucceeded = (_: unknown, { complete }: DeliveryContext) => complete({ txn: {} } as object)
  const { deliver, told } = openInbox({ onSucceeded })
  await deliver(SUCCEEDED)
  await settle()
  expect(String(told.onHandlerError[0]?.error)).toContain('`txn` of `context.complete` is unknown')
})
