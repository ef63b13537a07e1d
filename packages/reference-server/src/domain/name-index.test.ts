import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { DistanceTable } from './distance-table.ts'
import { NameIndex } from './name-index.ts'

/** Optimal string alignment, as it is written in books. */
function distance(from: string, to: string): number {
  const rows = Array.from({ length: from.length + 1 }, (_, row) => [row])
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let column = 0; column <= to.length; column++) rows[0]?.splice(column, 1, column)
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const cost = from[row - 1] === to[column - 1] ? 0 : 1
      const best = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + cost)
      rows[row]?.splice(column, 1, isSwap ? Math.min(best, at(row - 2, column - 2) + 1) : best)
    }
  }
  return at(from.length, to.length)
}

/** The first of the closest, found by comparing all. */
function closestOf(name: string, names: readonly string[]): string | undefined {
  const limit = Math.min(2, Math.floor(name.length / 3))
  const distances = names.map((known) => distance(name, known))
  const smallest = Math.min(...distances)
  return smallest <= limit ? names[distances.indexOf(smallest)] : undefined
}

describe('an index of names', () => {
  it('finds what comparing with every name finds', async () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })
    await fc.assert(
      fc.property(fc.array(names, { maxLength: 40 }), names, (known, wanted) => {
        expect(new NameIndex(known).closest(wanted)).toBe(closestOf(wanted, known))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['modle-04242', 'model-04242'],
    ['model-0424x', 'model-04240'],
    ['something else', undefined],
  ])('compares few of 10 000 names for %s', (wanted, meant) => {
    const index = new NameIndex(Array.from({ length: 10_000 }, (_, count) => `model-${String(count).padStart(5, '0')}`))
    const entered = vi.spyOn(DistanceTable.prototype, 'enter')
    expect(index.closest(wanted)).toBe(meant)
    expect(entered.mock.results.filter(({ value }) => value).length).toBeLessThan(1_000)
    entered.mockRestore()
  })
})
