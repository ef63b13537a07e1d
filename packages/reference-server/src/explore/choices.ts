import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Chooses what happens next in one run of a test. */
export interface Choices {
  /** The steps that are known to be possible now: one that is missing may be late. */
  expected(): readonly string[]
  /** One of the keys, which are in their natural order. */
  choose(keys: readonly string[]): string
}

interface Node {
  readonly next: Map<string, Node>
  isDone: boolean
}

/** Remembers which orders were tried, so that none is tried twice. */
export class ChoiceTree {
  readonly #root = createNode()
  readonly #generator: ReturnType<typeof xoroshiro128plus>
  #hasStarted = false

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed | 0)
  }

  /** Whether there is no other order. */
  get isDone(): boolean {
    return this.#root.isDone
  }

  /** The next untried order: the natural one first, then random ones. Call `end` after the run. */
  start(): Choices & { end(): void } {
    const path = [this.#root]
    const pick = this.#hasStarted ? (count: number) => uniformInt(this.#generator, 0, count - 1) : () => 0
    this.#hasStarted = true
    const here = () => path.at(-1) ?? this.#root
    return {
      expected: () => [...here().next.keys()],
      choose: (keys) => {
        const { next } = here()
        for (const key of keys) if (!next.has(key)) next.set(key, createNode())
        // What did not come this time is not waited for again.
        for (const key of next.keys()) if (!keys.includes(key)) next.delete(key)
        const open = keys.filter((key) => next.get(key)?.isDone === false)
        const among = open.length > 0 ? open : keys
        const key = among[pick(among.length)] ?? ''
        path.push(next.get(key) ?? createNode())
        return key
      },
      end: () => {
        for (const node of path.reverse()) node.isDone = [...node.next.values()].every(({ isDone }) => isDone)
      },
    }
  }
}

/** The order that a seed names; what comes after it is natural. */
export function followSeed(keys: readonly string[]): Choices {
  let index = 0
  return {
    expected: () => keys.slice(index, index + 1),
    choose: (possible) => {
      const wanted = keys[index++]
      if (wanted === undefined) return possible[0] ?? ''
      if (possible.includes(wanted)) return wanted
      throw new Error(
        `The seed cannot be followed: its step ${index}, "${wanted}", is not possible; possible are: ${possible.join(', ')}. ` +
          'The test has changed since, or does not do the same each time.',
      )
    },
  }
}

function createNode(): Node {
  return { next: new Map(), isDone: false }
}
