import { expect, test } from 'vitest'
import { json } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { isFinished, withKnownStatus } from './job-operations.ts'

test('isFinished knows the terminal statuses alone, by either word for success (section 3)', () => {
  const statuses = ['queued', 'processing', 'succeeded', 'failed', 'cancelled', 'completed', 'paused', '']
  expect(statuses.filter((status) => isFinished({ status }))).toEqual(['succeeded', 'failed', 'cancelled', 'completed'])
})

test('client.jobs.get gives the job, whose success reads succeeded by either word (sections 3 and 4.4)', async () => {
  const output = { type: 'image', items: [] }
  const { client, service } = createTestClient([json(200, { data: { status: 'completed', output, more: 1 } })])
  await expect(client.jobs.get('job 1')).resolves.toEqual({ status: 'succeeded', output, more: 1 })
  expect(service.received).toMatchObject([{ method: 'GET', path: '/v1/jobs/job%201' }])
})

test.each([[{ status: 'paused' }], [{ more: 1 }], [null], [undefined], ['completed'], [7], [['completed']]])(
  'a value without the word completed stays as it is: %j',
  (value) => {
    expect(withKnownStatus(value)).toBe(value)
  },
)
