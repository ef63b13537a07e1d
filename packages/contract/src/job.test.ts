import { expect, test } from 'vitest'
import { JOB_STATUSES, TERMINAL_JOB_STATUSES } from './job.ts'

test('names the five job statuses, without the `completed` of a run response (section 3)', () => {
  expect(JOB_STATUSES).toEqual(['queued', 'processing', 'succeeded', 'failed', 'cancelled'])
})

test('ends a job as succeeded, failed or cancelled (section 3)', () => {
  expect(TERMINAL_JOB_STATUSES).toEqual(['succeeded', 'failed', 'cancelled'])
})
