import { DistanceTable, MAX_DISTANCE } from './distance-table.ts'

interface Entry {
  readonly name: string
  /** What is compared of it. */
  readonly letters: string
  /** Its place among the names as they were given. */
  readonly order: number
}

/**
 * Finds the name that was probably meant, for a "did you mean", among many names.
 *
 * The names are sorted. A name that starts like its neighbour reuses the rows of the neighbour, and names that start with
 * letters which are too far off are skipped, so a search compares few of them.
 */
export class NameIndex {
  readonly #entries: readonly Entry[]
  /** How many letters each entry has in common with the one before. */
  readonly #shared: Uint32Array
  readonly #longest: number

  constructor(names: Iterable<string>) {
    this.#entries = Array.from(names, (name, order) => ({ name, letters: simplify(name), order })).sort(byLetters)
    this.#shared = Uint32Array.from(this.#entries, ({ letters }, index) =>
      sharedLetters(letters, this.#entries[index - 1]?.letters ?? ''),
    )
    this.#longest = this.#entries.reduce((longest, { letters }) => Math.max(longest, letters.length), 0)
  }

  /**
   * Letter case, `_` and `-` do not count, so that `numImages` finds `num_images`. Beyond that at most two letters may
   * differ, and fewer in short names.
   *
   * @returns the closest name, of several the one that was given first, or `undefined` when none is close
   */
  closest(name: string): string | undefined {
    const wanted = simplify(name)
    // Also limits the cost of a request with a name of a megabyte.
    if (wanted.length > this.#longest + MAX_DISTANCE) return undefined
    const table = new DistanceTable(wanted, this.#longest)
    let limit = Math.min(MAX_DISTANCE, Math.floor(wanted.length / 3))
    let best: Entry | undefined
    for (const [index, entry] of this.#entries.entries()) {
      const shared = this.#shared[index] ?? 0
      if (!table.enter(entry.letters, shared, limit)) continue
      const { distance } = table
      if (distance > limit || (distance === limit && best !== undefined && best.order < entry.order)) continue
      limit = distance
      best = entry
    }
    return best?.name
  }
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

function byLetters(one: Entry, other: Entry): number {
  if (one.letters === other.letters) return one.order - other.order
  return one.letters < other.letters ? -1 : 1
}

function sharedLetters(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  let shared = 0
  while (shared < length && one[shared] === other[shared]) shared++
  return shared
}
