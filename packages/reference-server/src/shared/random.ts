import { uniformFloat32 } from 'pure-rand/distribution/uniformFloat32'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

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

/** A source of numbers that always repeats itself for the same prompt and seed. */
export interface SeededRandom {
  /** A number from `from` (included) to `to` (excluded). */
  between(from: number, to: number): number
  /** One of the choices. */
  pick<T>(choices: readonly [T, ...T[]]): T
  /** Where it stands, as JSON. */
  state(): readonly number[]
}

/** Makes the source of random numbers of one produced file. Any string will do, also an empty one. */
export function createSeededRandom(prompt: string, seed: number): SeededRandom {
  return sourceFrom(xoroshiro128plus(hashText(`${seed}:${prompt}`)))
}

/** Continues from where another source stood. */
export function resumeSeededRandom(state: readonly number[]): SeededRandom {
  return sourceFrom(xoroshiro128plusFromState(state))
}

function sourceFrom(generator: RandomGenerator): SeededRandom {
  const between = (from: number, to: number) => from + uniformFloat32(generator) * (to - from)
  return {
    between,
    pick: (choices) => choices[Math.floor(between(0, choices.length))] ?? choices[0],
    state: () => [...generator.getState()],
  }
}

/**
 * 32 bits of FNV-1a over UTF-16 code units, then MurmurHash3's finalizer: without it prompts that differ in their last
 * letter would have nearly the same hash.
 */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
