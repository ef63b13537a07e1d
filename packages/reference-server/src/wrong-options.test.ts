import { expect, it } from 'vitest'
import { messageOf, testDoors } from '../../kit/test/option-doors.ts'
import { explore } from './explore/explore.ts'
import { listen } from './node/listen.ts'
import { createReferenceServer } from './reference-server.ts'
import { createTest } from './vitest/create-test.ts'

const server = createReferenceServer()

testDoors({
  createReferenceServer,
  listen: (options) => listen(server, options),
  explore: (options) => explore(() => expect.unreachable(), options),
  createTest: (options) => createTest(options),
  'createTest#with a server': (options) => createTest({ server, ...options }),
})

it.each([
  [{ seed: 'ed-a' }, 'the seed that a failure has named, such as \'eda\', not "ed-a".'],
  [{ seed: 'zz' }, 'not "zz".'],
  [{ seed: '' }, 'not "".'],
  [{ maxRuns: 0 }, 'a whole number of at least 1, not 0.'],
  [{ maxDelay: 2.5 }, 'not 2.5.'],
  [{ shuffle: Number.NaN }, 'a whole number, not NaN.'],
  [{ timeoutMs: -1 }, 'a number of at least 0, not -1.'],
])('explore rejects %j', async (options, message) => {
  expect(await messageOf(() => explore(() => expect.unreachable(), options))).toContain(message)
})

it.each([5, undefined, { maxRuns: 3 }])('explore needs a test first: explore(%j)', async (test) => {
  const untyped = explore as (test: unknown) => Promise<unknown>
  expect(await messageOf(() => untyped(test))).toMatch(/^`test` of `explore` must be a function, as in /)
})

it('explore takes options that are undefined as left out', async () => {
  const options = { maxRuns: undefined, seed: undefined, shuffle: undefined, settleMs: undefined }
  expect(await explore(() => {}, options)).toEqual({ runs: 1, isComplete: true })
})
