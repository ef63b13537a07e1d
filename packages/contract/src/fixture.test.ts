import { expect, test } from 'vitest'
import { withStatus } from './fixture.ts'

test('a fixture whose status is not the one of its type is rejected', () => {
  expect(withStatus('queued', { status: 'queued' })).toEqual({ status: 'queued' })
  expect(() => withStatus('completed', { status: 'queued' })).toThrow('has the status queued, not completed')
})
