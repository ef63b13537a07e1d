import { expectTypeOf, test } from 'vitest'
import { createInbox } from './inbox.ts'
import type { DeliveryContext } from './inbox-options.ts'

interface Order {
  order: number
}

test('the context of a handler is unknown, or of the type that the handler says', () => {
  createInbox({ onSucceeded: (_event, { context }) => expectTypeOf(context).toBeUnknown() })
  createInbox<Order>({ onFailed: (_event, { context }) => expectTypeOf(context).toEqualTypeOf<Order>() })
  createInbox({ onSucceeded: (_event, { context }: DeliveryContext<Order>) => context.order })
})
