const MAX_DISTANCE = 2

/**
 * Finds the name that somebody probably meant, for a "did you mean".
 *
 * Letter case, `_` and `-` do not count, so that `numImages` finds `num_images`. Beyond that at most two letters may
 * differ, and fewer in short names.
 *
 * @returns the closest of `known`, or `undefined` when none is close
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = simplify(name)
  let closest: string | undefined
  let bestDistance = Math.min(MAX_DISTANCE, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, simplify(candidate))
    if (distance < bestDistance) {
      bestDistance = distance
      closest = candidate
    }
  }
  return closest
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** Letters to insert, delete, replace or swap with their neighbour; `Infinity` when the lengths alone are too far apart. */
function editDistance(from: string, to: string): number {
  // Also keeps the cost down when a request carries a name of a megabyte.
  if (Math.abs(from.length - to.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
