import { LEGAL_CHOICES, type LegalChoices, pickEach } from './legal-choices.ts'

/** Numbers from 0 to 1 that repeat themselves (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random value of every point. */
export function mixedChoices(seed: number): LegalChoices {
  const random = seededRandom(seed)
  return pickEach((values) => values[Math.floor(random() * values.length)])
}

/** Every value of every point alone, beside the first values of the others. */
export function singleChoices(): Partial<LegalChoices>[] {
  return Object.entries(LEGAL_CHOICES).flatMap(([name, values]) =>
    // A name of the table with one of its own values.
    values.slice(1).map((value) => ({ [name]: value }) as Partial<LegalChoices>),
  )
}
