import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'

const ID_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'
const MAX_SEED = 2 ** 31 - 1

/** The one source of random numbers of a server: the same seed gives the same ids in the same order. */
export interface Random {
  /** A name such as `job_` and 24 letters and digits. */
  id(prefix: string, length?: number): string
  /** A seed for a produced file. */
  fileSeed(): number
  /** Where it stands, as JSON. */
  state(): readonly number[]
  /** Continues from where another stood. */
  restore(state: readonly number[]): void
}

/** @param seed an integer; its lowest 32 bits count */
export function createRandom(seed: number): Random {
  let generator = xoroshiro128plus(seed | 0)
  const letter = () => ID_LETTERS.charAt(uniformInt(generator, 0, ID_LETTERS.length - 1))
  return {
    // One `join`: V8 keeps concatenated strings as ropes, which need twice the memory.
    id: (prefix, length = 24) => [prefix, ...Array.from({ length }, letter)].join(''),
    fileSeed: () => uniformInt(generator, 0, MAX_SEED) | 0, // as an integer it takes no memory of its own
    state: () => [...generator.getState()],
    restore: (state) => {
      generator = xoroshiro128plusFromState(state)
    },
  }
}
