import { expect, test } from 'vitest'
import { ConfigurationError } from '../errors/local-errors.ts'
import { isJobLostError, isLeaseLostError, JobLostError, LeaseLostError } from './inbox-errors.ts'

test('each guard of the inbox knows its own error alone', () => {
  const message = 'x'
  const errors = [
    new JobLostError({ message }),
    new LeaseLostError({ message }),
    new ConfigurationError({ message }),
    undefined,
  ]
  expect(errors.map(isJobLostError)).toEqual([true, false, false, false])
  expect(errors.map(isLeaseLostError)).toEqual([false, true, false, false])
})
