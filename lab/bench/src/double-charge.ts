/** How many POSTs a server receives for one paid call when it gets no usable response to the first. */
import type { PayJob, PayResult } from './children/pay.ts'
import type { ClientName } from './clients.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { type Scenario, startServer } from './harness/server.ts'

const CALLS: Partial<Record<ClientName, string>> = {
  modelrun: 'client.run(…)',
  openai: 'images.generate(…)',
  anthropic: 'messages.create(…)',
  replicate: 'replicate.run(…)',
  fal: 'fal.subscribe(…)',
}

const HAZARDS: readonly { scenario: Scenario; title: string }[] = [
  { scenario: 'reset', title: 'connection reset' },
  { scenario: 'server-error', title: 'HTTP 500' },
  { scenario: 'cut', title: 'response breaks off after its first 40 bytes' },
]

interface Case {
  client: ClientName
  scenario: Scenario
}

interface Outcome {
  posts: number
  how: PayResult
}

// Object.keys gives the keys of the literal above.
const clients = Object.keys(CALLS) as ClientName[]
const cases = clients.flatMap((client) => HAZARDS.map(({ scenario }): Case => ({ client, scenario })))
const rounds = roundCount(3)
const server = await startServer()
const results = await interleave(cases, rounds, async ({ client, scenario }): Promise<Outcome> => {
  server.takePostCount()
  const job: PayJob = { client, settings: { baseUrl: server.urlOf(scenario, client) }, limitMs: 30_000 }
  const { result: how } = await runChild<PayResult>('pay', job)
  return { posts: server.takePostCount(), how }
})
server.close()

function describe(client: ClientName, scenario: Scenario): string {
  const found = cases.find((item) => item.client === client && item.scenario === scenario)
  const outcomes = (found && results.get(found)) ?? []
  const counts = [...new Set(outcomes.map(({ posts }) => posts))].sort((a, b) => a - b)
  return `${counts.join(' or ')} (${outcomes[0]?.how ?? 'hangs'})`
}

await report('double-charge', [
  'POSTs received for one paid call, each client at its defaults, when the server has received the whole request and then fails as named. In brackets: how the call ended. More than 1 may charge more than once.',
  table(
    ['client', 'call', ...HAZARDS.map(({ title }) => title)],
    clients.map((client) => [
      client,
      `\`${CALLS[client]}\``,
      ...HAZARDS.map(({ scenario }) => describe(client, scenario)),
    ]),
  ),
  `${rounds} rounds, a fresh process each.`,
])
