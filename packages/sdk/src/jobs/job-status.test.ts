import { expect, test } from 'vitest'
import { withKnownStatus } from './job-operations.ts'

test('completed reads succeeded, and other members stay (section 3)', () => {
  expect(withKnownStatus({ status: 'completed', more: 1 })).toEqual({ status: 'succeeded', more: 1 })
})

test.each([[{ status: 'paused' }], [{ more: 1 }], [null], [undefined], ['completed'], [7], [['completed']]])(
  'a value without that word stays as it is: %j',
  (value) => {
    expect(withKnownStatus(value)).toBe(value)
  },
)
