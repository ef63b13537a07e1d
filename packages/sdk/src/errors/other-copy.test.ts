import { beforeAll, describe, expect, test, vi } from 'vitest'
import { ApiError, NotFoundError, RateLimitError } from './api-errors.ts'
import { ConfigurationError } from './local-errors.ts'
import { ModelRunError } from './model-run-error.ts'

const fields = { message: 'x', status: 404 }

describe('instanceof, for errors of a second copy of the package', () => {
  let copy: typeof import('./api-errors.ts')

  beforeAll(async () => {
    vi.resetModules()
    copy = await import('./api-errors.ts')
  })

  test('holds for the class of the error and for those above it', () => {
    const error = new copy.NotFoundError(fields)
    expect(Object.getPrototypeOf(error)).not.toBe(NotFoundError.prototype)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toBeInstanceOf(ModelRunError)
  })

  test('does not hold for other classes', () => {
    expect(new copy.NotFoundError(fields)).not.toBeInstanceOf(RateLimitError)
    expect(new copy.NotFoundError(fields)).not.toBeInstanceOf(ConfigurationError)
    expect(new copy.ApiError(fields)).not.toBeInstanceOf(NotFoundError)
  })

  test("holds for a user's subclass of the other copy, by the class that it extends", () => {
    class GoneError extends copy.NotFoundError {}
    expect(new GoneError(fields)).toBeInstanceOf(NotFoundError)
    expect(new GoneError(fields)).not.toBeInstanceOf(RateLimitError)
  })
})

describe("instanceof, for a user's subclass of this copy", () => {
  class GoneError extends NotFoundError {}

  test('holds for its own instances alone', () => {
    expect(new GoneError(fields)).toBeInstanceOf(GoneError)
    expect(new GoneError(fields)).toBeInstanceOf(NotFoundError)
    expect(new NotFoundError(fields)).not.toBeInstanceOf(GoneError)
    expect(new ApiError(fields)).not.toBeInstanceOf(GoneError)
  })
})

test.each([undefined, null, 1, 'x', {}, Object.create(null), new Error('x'), { name: 'NotFoundError' }])(
  'instanceof does not hold for %s',
  (value) => {
    expect(value instanceof NotFoundError).toBe(false)
    expect(value instanceof ModelRunError).toBe(false)
  },
)
