import { runInNewContext } from 'node:vm'
import * as kit from '@modelrun/kit'
import { expect, test, vi } from 'vitest'
import * as apiErrors from './api-errors.ts'
import * as jobErrors from './job-errors.ts'
import * as localErrors from './local-errors.ts'
import * as transportErrors from './transport-errors.ts'

interface ErrorClasses {
  kit: typeof kit
  api: Pick<typeof apiErrors, 'createApiError' | 'ApiError'>
  job: typeof jobErrors
  local: typeof localErrors
  transport: typeof transportErrors
}

type ModelRunError = kit.ModelRunError

const fields = { message: 'test' }

/** One error of each class, by the name of the class. */
function oneOfEach({
  kit: { ConfigurationError },
  api,
  job,
  local,
  transport,
}: ErrorClasses): Record<string, ModelRunError> {
  const byStatus = [400, 401, 402, 403, 404, 409, 418, 422, 429, 500].map((status) =>
    api.createApiError({ ...fields, status }),
  )
  const jobEnd = { ...fields, jobId: 'job_1', job: { status: 'failed' } }
  const others = [
    new job.JobFailedError(jobEnd),
    new job.JobCancelledError(jobEnd),
    new ConfigurationError(fields),
    new local.SaveError(fields),
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

const errors = oneOfEach({ kit, api: apiErrors, job: jobErrors, local: localErrors, transport: transportErrors })

/** The classes that an error may be an instance of, by their names. */
const classes = Object.fromEntries(
  Object.entries<unknown>({ ...kit, ...apiErrors, ...jobErrors, ...localErrors, ...transportErrors }).filter(
    (entry): entry is [string, new () => ModelRunError] =>
      // What a handler of an engine throws is another kind of error.
      /^[A-Z]\w+Error$/.test(entry[0]) && !['RetryAfterError', 'NonRetriableError'].includes(entry[0]),
  ),
)

/** The abstract classes, which no error has as its own. */
const ABSTRACT = ['ModelRunError', 'JobEndError', 'EndedWaitError']

const namesOf = (error: unknown) =>
  Object.entries(classes)
    .filter(([, type]) => error instanceof type)
    .map(([name]) => name)
    .sort()

const API_CLASSES = Object.keys(apiErrors).filter((name) => name.endsWith('Error') && name in classes)

/** What an error of this name is an instance of, among the classes that are exported. */
const expectedOf = (name: string) =>
  [...new Set([name, ...(API_CLASSES.includes(name) ? ['ApiError'] : []), 'ModelRunError'])].sort()

test('there is an error of each class', () => {
  const concrete = Object.keys(classes).filter((name) => !ABSTRACT.includes(name))
  expect(Object.keys(errors).sort()).toEqual(concrete.sort())
})

test.each(Object.entries(errors))('%s is an instance of its class and of those above it alone', (name, error) => {
  expect(namesOf(error)).toEqual(expectedOf(name))
})

test('an error of a second copy of the package is an instance of the same classes', async () => {
  vi.resetModules()
  const copy: ErrorClasses = {
    kit: await import('@modelrun/kit'),
    api: await import('./api-errors.ts'),
    job: await import('./job-errors.ts'),
    local: await import('./local-errors.ts'),
    transport: await import('./transport-errors.ts'),
  }
  for (const [name, error] of Object.entries(oneOfEach(copy))) {
    expect(Object.getPrototypeOf(error)).not.toBe(Object.getPrototypeOf(errors[name]))
    expect(namesOf(error)).toEqual(expectedOf(name))
  }
})

test('an error of another realm is an instance of the same classes', () => {
  const error: unknown = runInNewContext(`
    class ModelRunError extends Error { get [Symbol.for('modelrun.error')]() { return true } }
    class ApiError extends ModelRunError { get name() { return 'ApiError' } }
    class NotFoundError extends ApiError { get name() { return 'NotFoundError' } }
    new NotFoundError('x')`)
  expect(error).not.toBeInstanceOf(Error)
  expect(namesOf(error)).toEqual(expectedOf('NotFoundError'))
})

test("a user's subclass has its own instances alone", () => {
  class GoneError extends apiErrors.NotFoundError {}
  const gone = new GoneError({ ...fields, status: 404 })
  expect(gone).toBeInstanceOf(GoneError)
  expect(namesOf(gone)).toEqual(expectedOf('NotFoundError'))
  expect(new apiErrors.NotFoundError({ ...fields, status: 404 })).not.toBeInstanceOf(GoneError)
})

test.each([
  undefined,
  null,
  0,
  'NotFoundError',
  {},
  Object.create(null),
  new Error('x'),
  Object.assign(new Error('x'), { name: 'NotFoundError' }),
])('%s is an instance of no class', (value) => {
  expect(namesOf(value)).toEqual([])
})
