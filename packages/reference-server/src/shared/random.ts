import { uniformFloat32 } from 'pure-rand/distribution/uniformFloat32'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

const ID_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'
const MAX_SEED = 2 ** 31 - 1

/** A source of random numbers: the same seed gives the same numbers in the same order. */
export class Random {
  #generator: RandomGenerator
  seed: number

  /** @param seed an integer; its lowest 32 bits count */
  constructor(seed: number) {
    this.seed = seed
    this.#generator = xoroshiro128plus(seed | 0)
  }

  /** Of what a prompt and a seed stand for. Any string will do, also an empty one. */
  static of(prompt: string, seed: number): Random {
    return new Random(hashText(`${seed}:${prompt}`))
  }

  /** A name such as `job_` and 24 letters and digits. */
  id(prefix: string, length = 24): string {
    const letter = () => ID_LETTERS.charAt(uniformInt(this.#generator, 0, ID_LETTERS.length - 1))
    // One `join`: V8 keeps concatenated strings as ropes, which need twice the memory.
    return [prefix, ...Array.from({ length }, letter)].join('')
  }

  /** A seed for a produced file. */
  fileSeed(): number {
    return uniformInt(this.#generator, 0, MAX_SEED) | 0 // as an integer it takes no memory of its own
  }

  /** A number from `from` (included) to `to` (excluded). */
  between(from: number, to: number): number {
    return from + uniformFloat32(this.#generator) * (to - from)
  }

  /** One of the choices. */
  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.between(0, choices.length))] ?? choices[0]
  }

  /** Where it stands, as JSON. */
  state(): readonly number[] {
    return [...this.#generator.getState()]
  }

  /** Continues from where another stood. */
  restore(state: readonly number[], seed = this.seed): void {
    this.seed = seed
    this.#generator = xoroshiro128plusFromState(state)
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
