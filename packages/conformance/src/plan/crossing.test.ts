import { describe, expect, it } from 'vitest'
import { crossed } from './crossing.ts'

const DIMENSIONS = {
  sync: [undefined, true, false],
  receiver: ['none', 'accept', 'reject', 'silent'],
  model: ['main', 'slow', 'failing'],
  cancel: ['never', 'at once'],
} as const
type One = { [Name in keyof typeof DIMENSIONS]: (typeof DIMENSIONS)[Name][number] }

const cross = (limits: Partial<Parameters<typeof crossed<typeof DIMENSIONS>>[1]> = {}) =>
  crossed(DIMENSIONS, { seed: 1, most: 100, ...limits })

/** Every two values of different dimensions that some combination holds together. */
function pairs(all: readonly One[]): Set<string> {
  const names = Object.keys(DIMENSIONS) as (keyof typeof DIMENSIONS)[]
  const of = (one: One) =>
    names.flatMap((first, at) => names.slice(at + 1).map((other) => `${first}=${one[first]} ${other}=${one[other]}`))
  return new Set(all.flatMap(of))
}

describe('combinations of dimensions', () => {
  it.each([1, 2, 3, 4, 5])('hold every two values together, with a third of all combinations (seed %i)', (seed) => {
    const all = cross({ seed })
    const sizes = Object.values(DIMENSIONS).map(({ length }) => length)
    const expected = sizes.flatMap((one, at) => sizes.slice(at + 1).map((other) => one * other))
    expect(pairs(all).size).toBe(expected.reduce((sum, count) => sum + count))
    expect(all.length).toBeLessThan((3 * 4 * 3 * 2) / 3)
  })

  it('are the same for the same seed, and others for another one', () => {
    expect(cross({ seed: 7, most: 8 })).toEqual(cross({ seed: 7, most: 8 }))
    expect(cross({ seed: 7, most: 8 })).not.toEqual(cross({ seed: 8, most: 8 }))
  })

  it('stay within number and budget, and are possible', () => {
    const costOf = ({ model }: One) => (model === 'slow' ? 6 : 1)
    const isPossible = ({ sync, cancel }: One) => cancel === 'never' || sync === false
    for (const seed of [1, 2, 3]) {
      const all = cross({ seed, most: 12, budget: 20, costOf, isPossible })
      expect(all.length).toBeLessThanOrEqual(12)
      expect(all.reduce((sum, one) => sum + costOf(one), 0)).toBeLessThanOrEqual(20)
      expect(all.filter((one) => !isPossible(one))).toEqual([])
    }
    expect(cross({ budget: 0, costOf })).toEqual([])
    expect(cross({ isPossible: () => false })).toEqual([])
  })

  it('end when nothing new can be met', () => {
    expect(crossed({ one: ['a'], other: ['b', 'c'] }, { seed: 1, most: 10 })).toHaveLength(2)
  })
})
