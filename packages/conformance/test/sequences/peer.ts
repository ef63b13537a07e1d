import { createReferenceServer } from '@modelrun/reference-server'
import type { ConformanceClock } from '../../src/clock.ts'
import type { SpecialKey } from '../../src/options.ts'
import type { ServiceProfile } from '../../src/profile.ts'
import type { LegalModel } from '../legal-service/legal-catalog.ts'
import type { LegalChoices } from '../legal-service/legal-choices.ts'
import { LEGAL_KEY, LEGAL_SPECIAL_KEYS } from '../legal-service/legal-keys.ts'
import { LegalService } from '../legal-service/legal-service.ts'
import { VirtualClock } from '../legal-service/virtual-clock.ts'
import { keysOf } from '../reference-service.ts'

/** A service to which a sequence of requests is sent. */
export interface Peer {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  baseUrl: string
  clock: ConformanceClock
  keys: Readonly<Record<SpecialKey | 'all', string>>
  credits: () => number
  /** Bodies of the deliveries by their job. */
  deliveries: Record<string, unknown>[]
}

const OK = () => Promise.resolve(new Response())

export function legalPeer(choices: Partial<LegalChoices>): Peer {
  const clock = new VirtualClock()
  const deliveries: Record<string, unknown>[] = []
  const deliver = (_: string, { body }: RequestInit) => {
    deliveries.push(JSON.parse(String(body)))
    return OK()
  }
  const service = new LegalService({ choices, clock, deliver })
  const keys = { ...LEGAL_SPECIAL_KEYS, all: LEGAL_KEY }
  const { fetch, origin: baseUrl } = service
  return { fetch, baseUrl, clock, keys, credits: () => service.credits(), deliveries }
}

/** The reference server with the same models. */
export function referencePeer(models: readonly LegalModel[], profile: ServiceProfile | undefined): Peer {
  const deliveries: Record<string, unknown>[] = []
  const server = createReferenceServer({
    clock: 'auto',
    profile,
    catalog: models.map(({ shown, schema, runMs }) => ({
      // The members of a model of section 2.1, with the schema of section 2.3.
      ...(shown as never as { id: string }),
      input_schema: schema,
      output_kind: 'image',
      latency_ms: runMs,
    })) as never,
    latency: Object.fromEntries(models.map(({ shown, runMs }) => [shown.id, runMs])),
    credits: 1_000_000,
    deliver: async (request) => {
      deliveries.push(await request.json())
      return OK()
    },
  })
  for (const { shown, fails } of models) {
    if (fails) server.script(shown.id, Array(200).fill({ result: 'failed' }))
  }
  const { baseUrl, clock, apiKey } = server
  const keys = { ...keysOf(server), all: apiKey }
  // Each of its keys is an account of its own, where the keys of the legal service share one.
  const credits = () => Object.values(keys).reduce((sum, key) => sum + server.credits(key), 0)
  return { fetch: server.fetch, baseUrl, clock, keys, credits, deliveries }
}
