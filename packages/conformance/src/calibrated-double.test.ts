import { describe, expect, it } from 'vitest'
import type { ServiceProfile } from './profile.ts'
import { runConformance } from './run-conformance.ts'
import { mixedChoices } from './test-kit/legal-service/choose.ts'
import { LEGAL_IDS, type LegalModel, legalCatalog } from './test-kit/legal-service/legal-catalog.ts'
import type { LegalChoices } from './test-kit/legal-service/legal-choices.ts'
import { legalOptions } from './test-kit/legal-service/legal-options.ts'
import { legalPeer, referencePeer } from './test-kit/sequences/peer.ts'
import { type Outcome, perform } from './test-kit/sequences/perform.ts'
import { randomSteps } from './test-kit/sequences/steps.ts'

/** Each a mixture of every open point, so that none was chosen for what the reference server can do. */
const CHARACTERS = [101, 102, 103, 104, 105, 106]
const SEQUENCES = 40

/**
 * What the report lists as not applied, or what is part of the catalog: a limit of requests, a search that finds what
 * comes close, types as lists. And what nothing observes: members and delays beyond those of the specification.
 */
const LEFT_OUT = {
  modelCount: 12,
  rateLimit: 'none',
  searchMatch: 'substring',
  typeForm: 'text',
  extraMembers: 'none',
  cancelTakesMs: 0,
} satisfies Partial<LegalChoices>

function characterOf(seed: number): LegalChoices {
  const { searchMatch, ...mixed } = mixedChoices(seed)
  return { ...mixed, ...LEFT_OUT, searchMatch: searchMatch === 'fuzzy' ? 'words' : searchMatch }
}

interface Comparison {
  seed: number
  differences: string[]
}

async function compare(choices: LegalChoices, profile: ServiceProfile | undefined): Promise<Comparison[]> {
  const ids = LEGAL_IDS[choices.modelIds]
  const models: LegalModel[] = legalCatalog(choices)
  const comparisons: Comparison[] = []
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    const steps = randomSteps(seed, ids)
    const observed = await perform(legalPeer(choices), steps)
    const double = await perform(referencePeer(models, profile), steps)
    comparisons.push({ seed, differences: differencesOf(observed, double) })
  }
  return comparisons
}

function differencesOf(observed: readonly Outcome[], double: readonly Outcome[]): string[] {
  return observed.flatMap(({ kind, shown }, index) => {
    const [one, other] = [JSON.stringify(shown), JSON.stringify(double[index]?.shown)]
    return one === other ? [] : [`${kind}: ${one} and not ${other}`]
  })
}

/** The share of sequences in which nothing differs. */
function shareOf(comparisons: readonly Comparison[]): number {
  return comparisons.filter(({ differences }) => differences.length === 0).length / comparisons.length
}

describe('the reference server with the profile of a service', () => {
  it.each(CHARACTERS)(
    'responds like the service %i in 95 of 100 random sequences',
    async (seed) => {
      const choices = characterOf(seed)
      const { profile } = await runConformance(legalOptions(choices).options)
      const calibrated = await compare(choices, profile)
      const plain = await compare(choices, undefined)
      console.info(`service ${seed}: ${shareOf(calibrated) * 100} % calibrated, ${shareOf(plain) * 100} % without`)
      for (const { seed: sequence, differences } of calibrated) {
        for (const difference of differences) console.info(`  sequence ${sequence}: ${difference}`)
      }
      expect(shareOf(calibrated)).toBeGreaterThanOrEqual(0.95)
      expect(shareOf(plain)).toBeLessThan(0.5)
    },
    60_000,
  )
})
