import { expectTypeOf, test } from 'vitest'
import type { FailedEvent, SucceededEvent } from '../webhook-event.ts'
import { failedEvent, succeededEvent } from './event-fixtures.ts'

test('fixtures fit where handlers take events', () => {
  expectTypeOf(succeededEvent()).toExtend<SucceededEvent>()
  expectTypeOf(failedEvent()).toExtend<FailedEvent>()
})

test('a mistyped field is an error', () => {
  // @ts-expect-error `credits_used`
  succeededEvent({ credit_used: 9 })
})
