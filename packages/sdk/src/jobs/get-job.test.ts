import { expect, test } from 'vitest'
import { isFinished } from './get-job.ts'

test('isFinished knows the terminal statuses alone, by either word for success (section 3)', () => {
  const statuses = ['queued', 'processing', 'succeeded', 'failed', 'cancelled', 'completed', 'paused', '']
  expect(statuses.filter((status) => isFinished({ status }))).toEqual(['succeeded', 'failed', 'cancelled', 'completed'])
})
