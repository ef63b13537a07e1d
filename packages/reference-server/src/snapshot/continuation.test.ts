import fc from 'fast-check'
import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import type { FaultOptions } from '../domain/fault-options.ts'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'

const OPTIONS = {
  clock: 'manual',
  credits: 30,
  catalog: DEFAULT_CATALOG.map((model) => ({ ...model, outcomes: [{ result: 'failed' }, { result: 'succeeded' }] })),
  deliver: async () => new Response(),
} satisfies ReferenceServerOptions

const milliseconds = fc.constantFrom<number>(0, 100, 200, 1_000, 4_000)
const webhook = fc.record(
  {
    deliveries: fc.constantFrom(0, 1, 3, 3),
    delay_ms: fc.constantFrom(0, 700, 3_000),
    gap_ms: fc.constantFrom(0, 700, 3_000),
  },
  { requiredKeys: [] },
)
const outcome: fc.Arbitrary<ScriptedOutcome> = fc.record(
  {
    result: fc.constantFrom('succeeded' as const, 'failed' as const, 'hang' as const),
    after_ms: milliseconds,
    after_polls: fc.nat(3),
    webhook,
  },
  { requiredKeys: ['result'] },
)
const fault: fc.Arbitrary<FaultOptions> = fc.record(
  {
    kind: fc.constantFrom('server-error' as const, 'rate-limit' as const),
    route: fc.constantFrom('getJob' as const, 'runModel' as const),
    probability: fc.constantFrom(0.3, 0.6),
    times: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['kind', 'route', 'probability'] },
)

/** How often each thing is done to a server. */
const WEIGHTS = {
  ...{ run: 6, poll: 6, advance: 5, script: 3, scriptWebhooks: 3, cancel: 1, fault: 1 },
  ...{ create: 1, rotate: 1, next: 1, reset: 1, use: 1 },
}
type Name = keyof typeof WEIGHTS
const NAMES = Object.keys(WEIGHTS) as Name[] // the keys of a constant

/** Something that is done, and with what: jobs and keys are chosen by their place among those there are. */
const step = fc.record({
  name: fc.oneof(...NAMES.map((name) => ({ weight: WEIGHTS[name], arbitrary: fc.constant(name) }))),
  place: fc.nat(20),
  ms: milliseconds,
  ...{ outcome, fault, webhook },
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const PLAIN = { place: 1, ms: 0, outcome: { result: 'hang' }, fault: { kind: 'hang' }, webhook: {} } as const

/** Which chance seldom meets: one of three deliveries is over. */
const BETWEEN_DUPLICATES: [Step[], Step[]] = [
  [
    { ...PLAIN, name: 'scriptWebhooks', webhook: { deliveries: 3, gap_ms: 700 } },
    { ...PLAIN, name: 'run' },
    { ...PLAIN, name: 'advance', ms: 4_100 },
  ],
  [{ ...PLAIN, name: 'advance', ms: 4_000 }],
]

const steps = fc.array(step, { minLength: 1, maxLength: 25 })

/** The program that does the steps: it knows the keys and jobs of a server, which a restored one has too. */
class Actor {
  readonly server: ReferenceServer
  readonly keys: string[]
  readonly jobs: { id: string; key: string }[]
  key: string

  constructor(server: ReferenceServer, like?: Actor) {
    this.server = server
    this.keys = [...(like?.keys ?? [server.apiKey])]
    this.jobs = [...(like?.jobs ?? [])]
    this.key = like?.key ?? server.apiKey
  }

  /** What a user sees of each step. */
  async do(todo: readonly Step[]): Promise<unknown[]> {
    const seen: unknown[] = []
    for (const one of todo) {
      seen.push(await this.#actions[one.name](one))
      await this.server.clock.advance(0) // until deliveries that have started are over
    }
    return seen
  }

  readonly #actions: Record<Name, (step: Step) => unknown> = {
    run: ({ place }) => this.#run(place % 3 > 0),
    poll: ({ place }) => this.#ask('GET', place),
    cancel: ({ place }) => this.#ask('DELETE', place),
    advance: ({ ms }) => this.server.clock.advance(ms),
    script: ({ outcome: one }) => this.server.script('aurora-image', [one], this.key),
    fault: ({ fault: one }) => this.server.faults.add(one, this.key).id,
    scriptWebhooks: ({ webhook: how }) => this.server.webhooks.script(how, this.key),
    create: () => this.keys.push(this.server.createKey({ credits: 10, allowIps: ['127.0.0.0/8'] }).key),
    rotate: () => this.#rotate(),
    next: () => (hasUnread(this.server) ? this.server.webhooks.next() : undefined),
    reset: () => this.server.reset(this.key),
    use: ({ place }) => {
      this.key = this.keys[place % this.keys.length] ?? this.key
      return this.key
    },
  }

  #rotate(): string | undefined {
    if (this.keys.indexOf(this.key) !== this.keys.length - 1) return undefined // it may be revoked already
    this.key = this.server.rotateKey(this.key).key
    this.keys.push(this.key)
    return this.key
  }

  async #run(hasWebhook: boolean): Promise<unknown> {
    const target = hasWebhook ? { webhook_url: 'http://receiver.test/' } : { sync: false }
    const { status, body } = await apiCaller(this.server, this.key).run('aurora-image', target)
    if (typeof body.job_id === 'string') this.jobs.push({ id: body.job_id, key: this.key })
    return { status, body, credits: this.server.credits(this.key) }
  }

  async #ask(method: string, place: number): Promise<unknown> {
    const job = this.jobs[place % this.jobs.length]
    if (job === undefined) return undefined
    const { status, body } = await apiCaller(this.server, job.key).call(method, `/v1/jobs/${job.id}`)
    return { status, body }
  }
}

function hasUnread(server: ReferenceServer): boolean {
  return server.snapshot().accounts.some(({ deliveries }) => deliveries.some(({ unread }) => unread !== undefined))
}

it('a server that was restored gives the same responses as the server that continues, whatever happened before and happens after', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const original = new Actor(createReferenceServer(OPTIONS))
      await original.do(before)
      const snapshot = JSON.parse(JSON.stringify(original.server.snapshot()))
      const restored = createReferenceServer({ ...OPTIONS, seed: 77, startTime: 0 })
      restored.restore(snapshot)
      expect(restored.snapshot()).toEqual(snapshot)
      const other = new Actor(restored, original)
      expect(await other.do(after)).toEqual(await original.do(after))
      expect(restored.snapshot()).toEqual(original.server.snapshot())
      await Promise.all([original.server.close(), restored.close()])
    }),
    { numRuns: 100, examples: [BETWEEN_DUPLICATES] },
  )
})
