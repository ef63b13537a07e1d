import type { ErrorDetail, Output } from '@modelrun/contract'
import { expectTypeOf, test } from 'vitest'
import type { ModelRun } from '../client/client.ts'
import type { ResultReceiver } from '../client/runs/run-options.ts'
import { createInbox, type Inbox } from './inbox.ts'
import type { DeliveryContext } from './inbox-options.ts'
import type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'

test('the status distinguishes the kinds of events (section 6)', () => {
  const narrow = (event: WebhookEvent) => {
    switch (event.status) {
      case 'succeeded':
        return [
          expectTypeOf(event.output).toEqualTypeOf<Output>(),
          expectTypeOf(event.credits_used).toEqualTypeOf<number | undefined>(),
          expectTypeOf(event.completed_at).toEqualTypeOf<string | undefined>(),
        ]
      case 'failed':
        return expectTypeOf(event.error).toEqualTypeOf<ErrorDetail>()
      case 'unknown':
        return expectTypeOf(event.payload).toEqualTypeOf<Record<string, unknown>>()
      default:
        return expectTypeOf(event).toBeNever()
    }
  }
  expectTypeOf(narrow).parameter(0).toHaveProperty('job_id').toEqualTypeOf<string>()
})

test('each handler of an inbox gets the event of its kind, and a client is a reader of jobs', () => {
  const client = {} as ModelRun
  createInbox({
    client,
    onSucceeded: (event) => expectTypeOf(event).toEqualTypeOf<SucceededEvent>(),
    onFailed: async (event) => expectTypeOf(event).toEqualTypeOf<FailedEvent>(),
    onUnknown: (event, { attempt }) => [
      expectTypeOf(event).toEqualTypeOf<UnknownEvent>(),
      expectTypeOf(attempt).toEqualTypeOf<number>(),
    ],
    onHandlerError: async ({ error }) => expectTypeOf(error).toEqualTypeOf<unknown>(),
  })
})

test('an inbox fits as the webhook receiver of a run', () => {
  expectTypeOf<Inbox>().toExtend<ResultReceiver>()
})

test('the context of a handler is unknown, or of the type that the handler says', () => {
  createInbox({ onSucceeded: (_event, { context }) => expectTypeOf(context).toBeUnknown() })
  createInbox<{ order: number }>({
    onFailed: (_event, { context }) => expectTypeOf(context).toEqualTypeOf<{ order: number }>(),
  })
  createInbox({ onSucceeded: (_event, { context }: DeliveryContext<{ order: number }>) => context.order })
})
