import { runInNewContext } from 'node:vm'
import type { ModelRunError } from '@modelrun/kit'
import { expect, test, vi } from 'vitest'
import * as apiErrors from './api-errors.ts'

/** What the constructors take, each some of it. */
const FIELDS = {
  ...{ message: 'test', status: 404, jobId: 'job_1', job: { status: 'failed' } },
  ...{ issues: [], creditsPerRun: 2, maxCredits: 1 },
}

type ErrorClass = new (fields: typeof FIELDS) => ModelRunError

/** The classes of one copy of the package, by their names. */
async function loadClasses(): Promise<Record<string, ErrorClass>> {
  const modules = await Promise.all([
    import('@modelrun/kit'),
    import('./api-errors.ts'),
    import('./job-errors.ts'),
    import('./local-errors.ts'),
    import('./transport-errors.ts'),
  ])
  const exported = modules.flatMap((module) => Object.entries<unknown>({ ...module }))
  const isClass = (entry: [string, unknown]): entry is [string, ErrorClass] =>
    // What a handler of an engine throws is another kind of error.
    /^[A-Z]\w+Error$/.test(entry[0]) && !['RetryAfterError', 'NonRetriableError'].includes(entry[0])
  return Object.fromEntries(exported.filter(isClass))
}

/** The abstract classes, which no error has as its own. */
const ABSTRACT = ['ModelRunError', 'JobEndError', 'EndedWaitError']

/** One error of each class, by the name of the class. */
const oneOfEach = (of: Record<string, ErrorClass>) =>
  Object.entries(of)
    .filter(([name]) => !ABSTRACT.includes(name))
    .map(([name, Class]) => [name, new Class(FIELDS)] as const)

const classes = await loadClasses()

const namesOf = (error: unknown) =>
  Object.entries(classes)
    .filter(([, type]) => error instanceof type)
    .map(([name]) => name)
    .sort()

/** What an error of this name is an instance of, among the classes that are exported. */
const expectedOf = (name: string) =>
  [...new Set([name, ...(name in apiErrors ? ['ApiError'] : []), 'ModelRunError'])].sort()

test.each(oneOfEach(classes))('%s has its name, and is an instance of its class and those above it', (name, error) => {
  expect([error.name, namesOf(error)]).toEqual([name, expectedOf(name)])
})

test('an error of a second copy of the package is an instance of the same classes', async () => {
  vi.resetModules()
  const copy = oneOfEach(await loadClasses())
  expect(copy.length).toBeGreaterThan(15)
  for (const [name, error] of copy) {
    expect(Object.getPrototypeOf(error)).not.toBe(classes[name]?.prototype)
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
  const gone = new GoneError(FIELDS)
  expect(gone).toBeInstanceOf(GoneError)
  expect(namesOf(gone)).toEqual(expectedOf('NotFoundError'))
  expect(new apiErrors.NotFoundError(FIELDS)).not.toBeInstanceOf(GoneError)
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
