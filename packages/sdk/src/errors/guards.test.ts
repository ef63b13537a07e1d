import { runInNewContext } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import * as apiErrors from './api-errors.ts'
import * as jobErrors from './job-errors.ts'
import * as localErrors from './local-errors.ts'
import { isModelRunError, type ModelRunError } from './model-run-error.ts'
import * as transportErrors from './transport-errors.ts'

interface ErrorClasses {
  api: Pick<typeof apiErrors, 'createApiError' | 'ApiError'>
  job: typeof jobErrors
  local: typeof localErrors
  transport: typeof transportErrors
}

const fields = { message: 'test' }

/** One error of each class, by the name of the class. */
function oneOfEach({ api, job, local, transport }: ErrorClasses): Record<string, ModelRunError> {
  const byStatus = [400, 401, 402, 403, 404, 409, 418, 422, 429, 500].map((status) =>
    api.createApiError({ ...fields, status }),
  )
  const jobEnd = { ...fields, jobId: 'job_1', job: { status: 'failed' } }
  const others = [
    new job.JobFailedError(jobEnd),
    new job.JobCancelledError(jobEnd),
    new job.DurableRunError(fields),
    new local.ConfigurationError(fields),
    new local.WebhookParseError(fields),
    new local.InputValidationError({ ...fields, issues: [] }),
    new local.BudgetExceededError({ ...fields, creditsPerRun: 2, maxCredits: 1 }),
    new transport.ConnectionError(fields),
    new transport.AttemptTimeoutError(fields),
    new transport.HookError(fields),
    new transport.InvalidResponseError(fields),
    new transport.HookError(fields),
    new transport.AbortedError(fields),
    new transport.DeadlineExceededError(fields),
  ]
  return Object.fromEntries([...byStatus, ...others].map((error) => [error.name, error]))
}

const errors = oneOfEach({ api: apiErrors, job: jobErrors, local: localErrors, transport: transportErrors })

/** All guards, by their names. */
const guards = Object.fromEntries(
  Object.entries<unknown>({ isModelRunError, ...apiErrors, ...jobErrors, ...localErrors, ...transportErrors }).filter(
    (entry): entry is [string, (error: unknown) => boolean] => /^is\w+Error$/.test(entry[0]),
  ),
)

/** The guards by their class, without the two that are true for several classes. */
const guardOf = Object.entries(guards)
  .filter(([name]) => name !== 'isModelRunError' && name !== 'isApiError')
  .map(([name, guard]) => [name.slice(2), guard] as const)

const API_CLASSES = [
  'ApiError',
  'AuthenticationError',
  'ConflictError',
  'InsufficientCreditsError',
  'InvalidRequestError',
  'NotFoundError',
  'PermissionDeniedError',
  'RateLimitError',
  'ServerError',
]

test('each class but ApiError has a guard of its own', () => {
  const guarded = guardOf.map(([name]) => name)
  expect([...guarded, 'ApiError'].sort()).toEqual(Object.keys(errors).sort())
})

describe.each(guardOf)('the guard for %s', (name, guard) => {
  test('is true for its class alone', () => {
    const accepted = Object.values(errors).filter((error) => guard(error))
    expect(accepted.map((error) => error.name)).toEqual([name])
  })
})

test('isApiError is true for the error responses of the service, isModelRunError for all', () => {
  const accepted = Object.values(errors).filter(apiErrors.isApiError)
  expect(accepted.map((error) => error.name).sort()).toEqual(API_CLASSES)
  expect(Object.values(errors).every(isModelRunError)).toBe(true)
})

test.each([
  undefined,
  null,
  0,
  'NotFoundError',
  {},
  new Error('x'),
  Object.assign(new Error('x'), { name: 'NotFoundError' }),
])('no guard is true for %s', (value) => {
  expect(Object.values(guards).filter((guard) => guard(value))).toEqual([])
})

test('the guards know the errors of a second copy of the package', async () => {
  vi.resetModules()
  const copy: ErrorClasses = {
    api: await import('./api-errors.ts'),
    job: await import('./job-errors.ts'),
    local: await import('./local-errors.ts'),
    transport: await import('./transport-errors.ts'),
  }
  const others = oneOfEach(copy)
  for (const [name, guard] of guardOf) expect(guard(others[name])).toBe(true)
  expect(
    Object.values(others)
      .filter(apiErrors.isApiError)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(API_CLASSES)
})

test('the guards know an error of another realm', () => {
  const error: unknown = runInNewContext(
    `Object.assign(new Error('x'), { name: 'NotFoundError', [Symbol.for('modelrun.error')]: 'api' })`,
  )
  expect(error).not.toBeInstanceOf(Error)
  expect([isModelRunError(error), apiErrors.isApiError(error), apiErrors.isNotFoundError(error)]).toEqual([
    true,
    true,
    true,
  ])
})
