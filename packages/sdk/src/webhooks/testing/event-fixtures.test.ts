import { webhookDeliverySchema } from '@modelrun/contract'
import { expect, test } from 'vitest'
import { parseWebhook } from '../parse-webhook.ts'
import { failedEvent, succeededEvent, unknownEvent } from './event-fixtures.ts'

test('events are bodies as the service sends them (section 6)', async () => {
  for (const event of [succeededEvent(), failedEvent()]) {
    expect(webhookDeliverySchema.parse(event)).toEqual(event)
    await expect(parseWebhook(event)).resolves.toEqual(event)
  }
})

test('an unknown event reaches a handler as one', async () => {
  const event = unknownEvent({ retries: 3 })
  const { job_id } = event
  await expect(parseWebhook(event)).resolves.toEqual({
    status: 'unknown',
    job_id,
    reported_status: 'expired',
    payload: { job_id, status: 'expired', retries: 3 },
  })
})

test('each event is of a job of its own, unless one is given', () => {
  const ids = [succeededEvent, failedEvent, unknownEvent].flatMap((make) => [make().job_id, make().job_id])
  expect(new Set(ids).size).toBe(6)
  expect(succeededEvent({ job_id: 'job_1' })).toMatchObject({
    job_id: 'job_1',
    output: { items: [{ url: 'https://files.example.com/job_1/0.png' }] },
  })
})

test('fields can be given', () => {
  const output = { type: 'video', items: [] }
  expect(succeededEvent({ output, credits_used: 9 })).toMatchObject({ status: 'succeeded', output, credits_used: 9 })
  expect(failedEvent({ error: { code: 'X', message: 'x' } }).error.code).toBe('X')
})
