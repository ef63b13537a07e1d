import { seededRandom } from '@modelrun/kit'

/** The values of each dimension. */
type Dimensions = Readonly<Record<string, readonly unknown[]>>
/** One value of each dimension. */
export type Crossed<Dims extends Dimensions> = { [Name in keyof Dims]: Dims[Name][number] }

interface Limits<Dims extends Dimensions> {
  /** Chooses where several are equally good. */
  seed: number
  /** Number of combinations at most. */
  most: number
  /** Combinations that are made anyway: what they hold together need not be met again. */
  known?: readonly { [Name in keyof Dims]: unknown }[]
  /** Sum of the costs at most. Default: no limit. */
  budget?: number
  costOf?: (crossed: Crossed<Dims>) => number
  /** Combinations that make no sense are left out. */
  isPossible?: (crossed: Crossed<Dims>) => boolean
}

/** So many random combinations are compared for each that is chosen. */
const CANDIDATES = 200
/** More than any dimension has values. */
const WIDTH = 100
/** A new pair counts as much as so many new triples: every pair is met before the triples of many are. */
const PAIR = 4

/**
 * Combinations in which as many pairs and triples of values as possible occur together, as far as number and budget allow. The
 * same seed makes the same combinations; another one makes others. A value that is named twice is tried twice as often.
 */
export function crossed<Dims extends Dimensions>(dimensions: Dims, limits: Limits<Dims>): Crossed<Dims>[] {
  const { seed, most, known = [], budget = Number.POSITIVE_INFINITY, isPossible = () => true } = limits
  const random = seededRandom(seed)
  const entries = Object.entries(dimensions)
  const tuplesIn = (one: { [Name in keyof Dims]: unknown }) =>
    tuplesOf(entries.map(([name, values], place) => place * WIDTH + values.indexOf(one[name])))
  const covered = new Set(known.flatMap((one) => tuplesIn(one).map(({ id }) => id)))
  const candidate = () => {
    const values = entries.map(([name, all]) => [name, all[Math.floor(random() * all.length)]])
    // One value of each dimension.
    const one = Object.fromEntries(values) as Crossed<Dims>
    const tuples = tuplesIn(one)
    const gain = tuples.reduce((sum, { id, weight }) => sum + (covered.has(id) ? 0 : weight), 0)
    return { one, tuples, gain, cost: limits.costOf?.(one) ?? 0 }
  }
  const chosen: Crossed<Dims>[] = []
  let left = budget
  while (chosen.length < most) {
    const all = Array.from({ length: CANDIDATES }, candidate)
    const possible = all.filter(({ one, cost }) => cost <= left && isPossible(one))
    const [best] = possible.toSorted((one, other) => other.gain - one.gain || one.cost - other.cost)
    if (best === undefined) break
    // All was met: again, in other combinations.
    if (best.gain === 0) covered.clear()
    chosen.push(best.one)
    left -= best.cost
    for (const { id } of best.tuples) covered.add(id)
  }
  return chosen
}

/** Every two and every three values of a combination, as numbers. */
function tuplesOf(values: readonly number[]): { id: number; weight: number }[] {
  const base = values.length * WIDTH
  return values.flatMap((one, at) =>
    values
      .slice(at + 1)
      .flatMap((other, next) => [
        { id: one * base + other, weight: PAIR },
        ...values.slice(at + next + 2).map((third) => ({ id: (third * base + one) * base + other, weight: 1 })),
      ]),
  )
}
