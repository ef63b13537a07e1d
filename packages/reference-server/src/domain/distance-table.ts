/** More letters than this never differ. */
export const MAX_DISTANCE = 2

/** Stands for a distance that is too large. */
const FAR = 1_000

/**
 * Counts letters to insert, delete, replace or swap with their neighbour. One row for each letter of the name that is
 * compared, one column for each of the name that is wanted; rows of letters that two names share are computed once.
 */
export class DistanceTable {
  readonly #wanted: string
  readonly #rows: Uint16Array[]
  /** So many rows are right, besides the first. */
  #depth = 0
  /** Whether the last of them is too far off, and with it every name that goes on from there. */
  #isFar = false

  constructor(wanted: string) {
    this.#wanted = wanted
    this.#rows = [Uint16Array.from({ length: wanted.length + 1 }, (_, column) => column)]
  }

  /** From the name that was entered last. */
  get distance(): number {
    return this.#rows[this.#depth]?.[this.#wanted.length] ?? FAR
  }

  /** @returns whether the name may be within the limit */
  enter(letters: string, shared: number, limit: number): boolean {
    if (this.#isFar && shared >= this.#depth) return false
    this.#depth = Math.min(this.#depth, shared)
    this.#isFar = false
    while (this.#depth < letters.length && !this.#isFar) this.#isFar = this.#addRow(letters) > limit
    return !this.#isFar
  }

  /** @returns the smallest distance in the row of the next letter */
  #addRow(letters: string): number {
    const depth = ++this.#depth
    const current = this.#rowAt(depth)
    const previous = this.#rowAt(depth - 1)
    const wanted = this.#wanted
    const letter = letters[depth - 1]
    let smallest = FAR
    // Columns that are farther off are far, whatever the letters are.
    for (let column = Math.max(0, depth - MAX_DISTANCE); column <= Math.min(wanted.length, depth + MAX_DISTANCE); column++) {
      const isSame = column > 0 && letter === wanted[column - 1]
      const isSwap = depth > 1 && column > 1 && letter === wanted[column - 2] && letters[depth - 2] === wanted[column - 1]
      const distance = Math.min(
        at(previous, column) + 1,
        column > 0 ? at(current, column - 1) + 1 : FAR,
        column > 0 ? at(previous, column - 1) + (isSame ? 0 : 1) : FAR,
        isSwap ? at(this.#rowAt(depth - 2), column - 2) + 1 : FAR,
      )
      current[column] = distance
      if (distance < smallest) smallest = distance
    }
    return smallest
  }

  #rowAt(depth: number): Uint16Array {
    const row = this.#rows[depth] ?? new Uint16Array(this.#wanted.length + 1).fill(FAR)
    this.#rows[depth] = row
    return row
  }
}

function at(row: Uint16Array, column: number): number {
  return row[column] ?? FAR
}
