import { expect, test } from 'vitest'
import { ERROR_CODES, HTTP_STATUS_BY_ERROR_CODE } from './error-body.ts'

test('names the three error codes (section 7)', () => {
  expect(ERROR_CODES).toEqual(['UNAUTHORIZED', 'FORBIDDEN', 'PROVIDER_FAILURE'])
})

test('ties 401 to UNAUTHORIZED and 403 to FORBIDDEN, and no status to a job failure (section 7)', () => {
  expect(HTTP_STATUS_BY_ERROR_CODE).toEqual({ UNAUTHORIZED: 401, FORBIDDEN: 403 })
})
