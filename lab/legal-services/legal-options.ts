import type { ConformanceOptions } from '../../packages/conformance/src/options.ts'
import { VirtualClock } from '../../packages/conformance/test/virtual-clock.ts'
import { LEGAL_IDS } from './legal-catalog.ts'
import { isRejection, type LegalChoices } from './legal-choices.ts'
import { LEGAL_KEY, LEGAL_SPECIAL_KEYS } from './legal-keys.ts'
import { LegalService } from './legal-service.ts'

/** A legal service in this process at virtual time, and the options by which the suite checks all of it. */
export function legalOptions(choices: Partial<LegalChoices> = {}): {
  service: LegalService
  options: ConformanceOptions
} {
  const clock = new VirtualClock()
  let receive = async (_: Request): Promise<Response> => new Response(null, { status: 404 })
  const service = new LegalService({ choices, clock, deliver: (url, init) => receive(new Request(url, init)) })
  const ids = LEGAL_IDS[service.choices.modelIds]
  const isWhole = service.models.length > 2
  return {
    service,
    options: {
      baseUrl: service.origin,
      apiKey: LEGAL_KEY,
      keys: LEGAL_SPECIAL_KEYS,
      allowRuns: true,
      maxCredits: 10_000,
      models: {
        main: { model: ids.main, input: { prompt: 'a lighthouse' } },
        ...(isWhole ? { slow: { model: ids.slow, input: { prompt: 'a video' } } } : {}),
        ...(isWhole ? { failing: { model: ids.failing, input: { prompt: 'broken' } } } : {}),
      },
      receiver: {
        url: isRejection(service.choices.plainHttpWebhook) ? 'http://receiver.test' : 'https://receiver.test',
        onRequest: (response) => {
          receive = response
        },
      },
      readCredits: async () => service.credits(),
      fetch: service.fetch,
      clock,
    },
  }
}
