import { describe, expect, it } from 'vitest'
import { mixedChoices } from '../test/legal-service/choose.ts'
import { LEGAL_IDS, type LegalModel, legalCatalog } from '../test/legal-service/legal-catalog.ts'
import { LEGAL_CHOICES, type LegalChoices } from '../test/legal-service/legal-choices.ts'
import { legalOptions } from '../test/legal-service/legal-options.ts'
import { legalPeer, referencePeer } from '../test/sequences/peer.ts'
import { type Outcome, perform } from '../test/sequences/perform.ts'
import { randomSteps } from '../test/sequences/steps.ts'
import type { ServiceProfile } from './profile.ts'
import { runConformance } from './run-conformance.ts'

/** Each a mixture of every open point, so that none was chosen for what the reference server can do. */
const CHARACTERS = [101, 102, 103, 104, 105, 106]
const SEQUENCES = 40
/** So many show that a server without the profile is another one. */
const PLAIN_SEQUENCES = 8

/**
 * What the report lists as not applied (a limit of requests, a path without the version, a search that finds what comes
 * close), what is part of the catalog (its size, types as lists), and what nothing observes: members that are not named
 * beside those of a job, and a cancel that takes time.
 */
const LEFT_OUT = {
  modelCount: 12,
  rateLimit: 'none',
  withoutVersion: LEGAL_CHOICES.withoutVersion[0],
  searchMatch: 'substring',
  typeForm: 'text',
  extraMembers: 'none',
  cancelTakesMs: 0,
  seedBounds: 'none',
  providerFails: 'never',
  plainHttpWebhook: 'accepted',
  finishedIsCancelled: false,
  ledgerDelayMs: 0,
  readsFail: 'never',
  jobTimes: 'none',
  failedSyncCode: 'PROVIDER_FAILURE',
} satisfies Partial<LegalChoices>

/** Differ in what their errors hold, as at random most services would be alike in it. */
const ERROR_MEMBERS = LEGAL_CHOICES.errorMembers

function characterOf(seed: number): LegalChoices {
  const { searchMatch, ...mixed } = mixedChoices(seed)
  const errorMembers = ERROR_MEMBERS[seed % ERROR_MEMBERS.length] ?? 'none'
  return { ...mixed, ...LEFT_OUT, errorMembers, searchMatch: searchMatch === 'fuzzy' ? 'words' : searchMatch }
}

interface Service {
  choices: LegalChoices
  models: readonly LegalModel[]
  profile: ServiceProfile | undefined
}

/** What differs in each of the first sequences. */
async function compare({ choices, models, profile }: Service, count: number): Promise<string[][]> {
  const compared: string[][] = []
  for (let seed = 1; seed <= count; seed++) {
    const steps = randomSteps(seed, LEGAL_IDS[choices.modelIds])
    const observed = await perform(legalPeer(choices), steps)
    const double = await perform(referencePeer(models, profile), steps)
    compared.push(differencesOf(observed, double))
  }
  return compared
}

function differencesOf(observed: readonly Outcome[], double: readonly Outcome[]): string[] {
  return observed.flatMap(({ kind, shown }, index) => {
    const [one, other] = [JSON.stringify(shown), JSON.stringify(double[index]?.shown)]
    return one === other ? [] : [`${kind}: ${one} and not ${other}`]
  })
}

/** The share of sequences in which nothing differs. */
function shareOf(compared: readonly string[][]): number {
  return compared.filter((differences) => differences.length === 0).length / compared.length
}

/** Each kind of difference once, with how often it was seen. */
function kindsOf(compared: readonly string[][]): string[] {
  const differences = compared.flat()
  return [...new Set(differences)].map((one) => `${differences.filter((other) => other === one).length} x ${one}`)
}

describe('the reference server with the profile of a service', () => {
  it.each(CHARACTERS)(
    'responds like the service %i in 95 of 100 random sequences',
    async (seed) => {
      const choices = characterOf(seed)
      const { profile } = await runConformance(legalOptions(choices).options)
      const models = legalCatalog(choices)
      const calibrated = await compare({ choices, models, profile }, SEQUENCES)
      const plain = await compare({ choices, models, profile: undefined }, PLAIN_SEQUENCES)
      const shares = `${shareOf(calibrated) * 100} % alike, ${shareOf(plain) * 100} % without its profile`
      console.info([`service ${seed}: ${shares}`, ...kindsOf(calibrated)].join('\n'))
      expect(shareOf(calibrated)).toBeGreaterThanOrEqual(0.95)
      expect(shareOf(plain)).toBeLessThan(0.5)
    },
    120_000,
  )
})
