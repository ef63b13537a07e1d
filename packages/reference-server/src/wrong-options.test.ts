import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it } from 'vitest'
import { explore } from './explore/explore.ts'
import { listen } from './node/listen.ts'
import { createReferenceServer } from './reference-server.ts'
import { createTest } from './vitest/create-test.ts'

const server = createReferenceServer()

/** Every call that takes options, as JavaScript can make it. Each rejects them before it does anything. */
const DOORS: Readonly<Record<string, (options: object) => unknown>> = {
  createReferenceServer,
  listen: (options) => listen(server, options),
  explore: (options) => explore(() => expect.unreachable(), options),
  createTest: (options) => createTest(options),
  'createTest with a server': (options) => createTest({ server, ...options }),
}

async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return expect.unreachable('the options were taken')
}

describe.each(Object.entries(DOORS))('%s', (door, call) => {
  const place = door.replace(/ .*/, '')

  it('rejects every option that is of another kind, in one form of sentence', async () => {
    const listed = await messageOf(() => call({ nothingLikeIt: 1 }))
    const names = /^`nothingLikeIt` of `\w+` is unknown \(it takes (.+)\)\.$/.exec(listed)?.[1]?.split(', ') ?? []
    expect(names).not.toEqual([])
    for (const name of names) {
      const message = await messageOf(() => call({ [name]: Symbol('wrong') }))
      expect(message).toMatch(new RegExp(`^\`${name}\` of \`${place}\` must be .+\\.$`))
    }
  })

  it('suggests the option that was meant', async () => {
    const [, name = ''] = /\(it takes (\w+)/.exec(await messageOf(() => call({ nothingLikeIt: 1 }))) ?? []
    expect(await messageOf(() => call({ [`${name}x`]: 1 }))).toContain(`(did you mean \`${name}\`?)`)
  })
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
