import { expect, test } from 'vitest'
import { withStatus } from './fixture.ts'

test('a fixture whose status is another than its type says is refused', () => {
  expect(withStatus('queued', { status: 'queued' })).toEqual({ status: 'queued' })
  expect(() => withStatus('completed', { status: 'queued' })).toThrow('has the status queued, not completed')
})
