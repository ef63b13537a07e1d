import { seededRandom } from '../../packages/kit/test/seeded-random.ts'
import { LEGAL_CHOICES, type LegalChoices, pickEach } from './legal-choices.ts'

/** A random value of every point. */
export function mixedChoices(seed: number): LegalChoices {
  const random = seededRandom(seed)
  const choices = pickEach((values) => values[Math.floor(random() * values.length)])
  // Without a failing model to compare it with, a failure of another code looks like a rejection of a right input.
  return choices.modelCount === 1 ? { ...choices, failedSyncCode: 'PROVIDER_FAILURE' } : choices
}

/** Every value of every point alone, beside the first values of the others. */
export function singleChoices(): Partial<LegalChoices>[] {
  return Object.entries(LEGAL_CHOICES).flatMap(([name, values]) =>
    // A name of the table with one of its own values.
    values.slice(1).map((value) => ({ [name]: value }) as Partial<LegalChoices>),
  )
}
