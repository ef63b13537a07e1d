const LONGEST_NAME = 100
const MOST_COMPARED = 200

/**
 * The name that was probably meant, for a "did you mean". Letter case, `_` and `-` do not count. Beyond that at most a third of
 * the letters may differ, or one; two neighbours that are swapped are one difference.
 *
 * The cost is bounded: of names whose length fits only the first are compared, and a longer name is like none.
 *
 * @returns the closest name, of several the first, or `undefined` when none is close
 */
export function closestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined
  const wanted = simplify(name)
  let closest: string | undefined
  let bestDistance = wanted.length
  let compared = 0
  for (const candidate of names) {
    const letters = simplify(candidate)
    const limit = Math.min(bestDistance - 1, Math.max(1, Math.floor(letters.length / 3)))
    if (Math.abs(letters.length - wanted.length) > limit) continue // the lengths alone rule out most names
    if (++compared > MOST_COMPARED) break
    const distance = distanceWithin(limit, wanted, letters)
    if (distance <= limit) [closest, bestDistance] = [candidate, distance]
  }
  return closest
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** How many letters must be added, removed, replaced or swapped; any number above the limit where it is exceeded. */
function distanceWithin(limit: number, from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const at = (cells: readonly number[], index: number) => cells[index] ?? Number.POSITIVE_INFINITY
      const replaced = at(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : replaced
      current.push(Math.min(replaced, swapped, at(last, column) + 1, at(current, column - 1) + 1))
    }
    if (Math.min(...current) > limit) return Number.POSITIVE_INFINITY
    beforeLast = last
    last = current
  }
  return last[to.length] ?? Number.POSITIVE_INFINITY
}
