import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** The values of each dimension. */
type Dimensions = Readonly<Record<string, readonly unknown[]>>
/** One value of each dimension. */
export type Crossed<Dims extends Dimensions> = { [Name in keyof Dims]: Dims[Name][number] }

interface Limits<Dims extends Dimensions> {
  /** Chooses where several are equally good. */
  seed: number
  /** Number of combinations at most. */
  most: number
  /** Sum of the costs at most. Default: no limit. */
  budget?: number
  costOf?: (crossed: Crossed<Dims>) => number
  /** Combinations that make no sense are left out. */
  isPossible?: (crossed: Crossed<Dims>) => boolean
}

/** So many random combinations are compared for each that is chosen. */
const CANDIDATES = 200
/** More than any dimension has values, and more than there are dimensions. */
const WIDTH = 100

/**
 * Combinations in which as many pairs of values as possible occur together, as far as number and budget allow. The same
 * seed makes the same combinations; another one makes others.
 */
export function crossed<Dims extends Dimensions>(dimensions: Dims, limits: Limits<Dims>): Crossed<Dims>[] {
  const { seed, most, budget = Number.POSITIVE_INFINITY, costOf = () => 0, isPossible = () => true } = limits
  const random = xoroshiro128plus(seed)
  const entries = Object.entries(dimensions)
  const candidate = () => {
    const indexes = entries.map(([, values]) => uniformInt(random, 0, values.length - 1))
    // One value of each dimension.
    const one = Object.fromEntries(
      entries.map(([name, values], at) => [name, values[indexes[at] ?? 0]]),
    ) as Crossed<Dims>
    return { one, pairs: pairsOf(indexes), cost: costOf(one) }
  }
  const chosen: Crossed<Dims>[] = []
  const covered = new Set<number>()
  let left = budget
  while (chosen.length < most) {
    const candidates = Array.from({ length: CANDIDATES }, candidate)
    const possible = candidates.filter(({ one, cost }) => cost <= left && isPossible(one))
    const gainOf = ({ pairs }: (typeof possible)[number]) => pairs.filter((pair) => !covered.has(pair)).length
    const rated = possible.map((one) => ({ ...one, gain: gainOf(one) }))
    const [best] = rated.toSorted((one, other) => other.gain - one.gain || one.cost - other.cost)
    if (best === undefined || best.gain === 0) break
    chosen.push(best.one)
    left -= best.cost
    for (const pair of best.pairs) covered.add(pair)
  }
  return chosen
}

/** Every two values of a combination, as numbers. */
function pairsOf(indexes: readonly number[]): number[] {
  const values = indexes.map((value, dimension) => dimension * WIDTH + value)
  return values.flatMap((one, at) => values.slice(at + 1).map((other) => one * WIDTH ** 2 + other))
}
