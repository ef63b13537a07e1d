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
  readonly #width: number
  /** Row after row. What is farther than `MAX_DISTANCE` from the diagonal stays far. */
  readonly #cells: Uint16Array
  /** So many rows are right, besides the first. */
  #depth = 0
  /** Whether the last of them is too far off, and with it every name that continues from there. */
  #isFar = false

  /** @param longest length of the longest name that will be entered */
  constructor(wanted: string, longest: number) {
    this.#wanted = wanted
    this.#width = wanted.length + 1
    this.#cells = new Uint16Array(this.#width * (longest + 1)).fill(FAR)
    for (let column = 0; column < this.#width; column++) this.#cells[column] = column
  }

  /** From the name that was entered last. */
  get distance(): number {
    return this.#at(this.#depth * this.#width + this.#wanted.length)
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
    const row = depth * this.#width
    if (depth <= MAX_DISTANCE) this.#cells[row] = depth
    let smallest = depth <= MAX_DISTANCE ? depth : FAR
    const last = Math.min(this.#wanted.length, depth + MAX_DISTANCE)
    for (let column = Math.max(1, depth - MAX_DISTANCE); column <= last; column++) {
      const distance = this.#distanceAt(letters, depth, column)
      this.#cells[row + column] = distance
      if (distance < smallest) smallest = distance
    }
    return smallest
  }

  #distanceAt(letters: string, depth: number, column: number): number {
    const wanted = this.#wanted
    const cell = depth * this.#width + column
    const above = cell - this.#width
    const letter = letters.charCodeAt(depth - 1)
    let distance = this.#at(above - 1) + (letter === wanted.charCodeAt(column - 1) ? 0 : 1)
    distance = Math.min(distance, this.#at(above) + 1, this.#at(cell - 1) + 1)
    const isSwap =
      depth > 1 &&
      column > 1 &&
      letter === wanted.charCodeAt(column - 2) &&
      letters.charCodeAt(depth - 2) === wanted.charCodeAt(column - 1)
    return isSwap ? Math.min(distance, this.#at(above - this.#width - 2) + 1) : distance
  }

  #at(cell: number): number {
    return this.#cells[cell] ?? FAR
  }
}
