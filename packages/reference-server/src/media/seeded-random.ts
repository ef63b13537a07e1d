import { uniformFloat32 } from 'pure-rand/distribution/uniformFloat32'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

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
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
