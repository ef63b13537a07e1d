import { expect, test } from 'vitest'
import { ConfigurationError } from '../errors/local-errors.ts'
import { isJobLostError, isPermanentError, JobLostError, PermanentError } from './inbox-errors.ts'

test('the guard of the inbox knows its own error alone', () => {
  const message = 'x'
  const errors = [new JobLostError({ message }), new ConfigurationError({ message }), new Error(message), undefined]
  expect(errors.map(isJobLostError)).toEqual([true, false, false, false])
})

test('a permanent error is known by its name, of any copy of the package', () => {
  const copied = Object.assign(new Error('x'), { name: 'PermanentError' })
  expect([new PermanentError('x'), copied, new Error('x'), { name: 'PermanentError' }].map(isPermanentError)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
