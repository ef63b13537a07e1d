import { describe, expect, it } from 'vitest'
import { explore } from './explore.ts'

/** Arguments as JavaScript could pass them. */
const untyped = explore as (test: unknown, options?: unknown) => Promise<unknown>

describe('explore', () => {
  it.each([
    [{ seed: '!!' }, 'explore takes seed: the seed that a failure has named, such as \'eda\'; it got "!!".'],
    [{ seed: 'ed-a' }, 'it got "ed-a"'],
    [{ seed: 'zz' }, 'it got "zz"'],
    [{ seed: '' }, 'it got ""'],
    [{ seed: 7 }, 'it got 7'],
    [{ maxRuns: 0 }, 'explore takes maxRuns: an integer, 1 or more; it got 0.'],
    [{ maxRuns: -1 }, 'it got -1'],
    [{ maxRuns: 2.5 }, 'it got 2.5'],
    [{ maxRuns: '10' }, 'it got "10"'],
    [{ shuffle: Number.NaN }, 'explore takes shuffle: an integer; it got NaN.'],
    [{ timeoutMs: -1 }, 'explore takes timeoutMs: milliseconds, 0 or more; it got -1.'],
    [{ server: 5 }, 'explore takes server: the options of a server; it got 5.'],
    [{ maxRun: 3 }, 'explore has no option maxRun. Did you mean maxRuns?'],
    [{ nope: 1 }, 'explore has no option nope. It has: maxRuns, seed,'],
    [5, 'explore takes its options as an object, not 5.'],
  ])('rejects %j before it runs the test', async (options, message) => {
    let runs = 0
    const explored = untyped(() => void runs++, options)
    await expect(explored).rejects.toThrow(TypeError)
    await expect(explored).rejects.toThrow(message)
    expect(runs).toBe(0)
  })

  it.each([5, undefined, { maxRuns: 3 }])('says that a test is missing: explore(%j)', async (test) => {
    await expect(untyped(test)).rejects.toThrow(/^explore takes a test first, .* not /)
  })

  it('does not name a seed that it would reject', async () => {
    const failure = explore(() => {
      throw new Error('at once')
    })
    await expect(failure).rejects.toThrow('The test fails before its first step, so in every order.\nat once')
  })

  it('takes options that are undefined as left out', async () => {
    const options = { maxRuns: undefined, seed: undefined, shuffle: undefined, settleMs: undefined }
    expect(await explore(() => {}, options)).toEqual({ runs: 1, isComplete: true })
  })
})
