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

const NAMES = Object.keys(DIMENSIONS) as (keyof typeof DIMENSIONS)[]

/** Every so many dimensions. */
function groups(size: number, names = NAMES): (keyof typeof DIMENSIONS)[][] {
  if (size === 0) return [[]]
  return names.flatMap((first, at) => groups(size - 1, names.slice(at + 1)).map((rest) => [first, ...rest]))
}

/** The share of all values of different dimensions, so many at a time, that some combination holds together. */
function coverage(size: number, all: readonly One[]): number {
  const held = new Set(all.flatMap((one) => groups(size).map((group) => group.map((name) => [name, one[name]]).join())))
  const possible = groups(size).map((group) => group.reduce((product, name) => product * DIMENSIONS[name].length, 1))
  return held.size / possible.reduce((sum, count) => sum + count)
}

describe('combinations of dimensions', () => {
  it.each([1, 2, 3, 4, 5])('hold every two values together first, then every three (seed %i)', (seed) => {
    const some = cross({ seed, most: 18 })
    expect(coverage(2, some)).toBe(1)
    expect(coverage(3, some)).toBeGreaterThan(0.5)
    expect(coverage(3, cross({ seed, most: (2 / 3) * 3 * 4 * 3 * 2 }))).toBe(1)
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

  it('start again when everything was met', () => {
    const all = crossed({ one: ['a'], other: ['b', 'c'] }, { seed: 1, most: 10 }).map(({ other }) => other)
    expect(all).toHaveLength(10)
    expect(new Set(all.slice(0, 2)).size).toBe(2)
    expect(all.filter((other) => other === 'b').length).toBeGreaterThan(2)
    expect(all.filter((other) => other === 'c').length).toBeGreaterThan(2)
  })
})
