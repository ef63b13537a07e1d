import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import type { ScriptedOutcome, ScriptedWebhook } from '../domain/scripted-outcome.ts'
import type { FaultOptions } from '../faults/fault-options.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const OPTIONS = { clock: 'manual', credits: 30, deliver: async () => new Response() } as const

/** Something that is done to a server; jobs and keys are chosen by their place among those there are. */
type Step =
  | { do: 'run'; hasWebhook: boolean }
  | { do: 'poll' | 'cancel'; job: number }
  | { do: 'advance'; ms: number }
  | { do: 'script'; outcome: ScriptedOutcome }
  | { do: 'fault'; fault: FaultOptions }
  | { do: 'script webhooks'; how: ScriptedWebhook }
  | { do: 'create' | 'rotate' | 'next' | 'reset' }
  | { do: 'use'; key: number }

const milliseconds = fc.constantFrom(0, 100, 200, 1_000, 4_000)
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

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('run' as const), hasWebhook: fc.constantFrom(true, true, false) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('poll' as const), job: fc.nat(20) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: milliseconds }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('script' as const), outcome }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), job: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('script webhooks' as const), how: webhook }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('create' as const, 'rotate' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('next' as const, 'reset' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('use' as const), key: fc.nat(5) }) },
)
/** Which chance seldom meets: one of three deliveries is over. */
const BETWEEN_DUPLICATES: [Step[], Step[]] = [
  [
    { do: 'script webhooks', how: { deliveries: 3, gap_ms: 700 } },
    { do: 'run', hasWebhook: true },
    { do: 'advance', ms: 4_100 },
  ],
  [{ do: 'advance', ms: 4_000 }],
]

const steps = fc.array(step, { minLength: 1, maxLength: 25 })

/** The program that does the steps: it knows the keys and jobs of a server, which a restored one has too. */
class Actor {
  readonly server: ReferenceServer
  readonly keys: string[]
  readonly jobs: { id: string; key: string }[]
  #key: string

  constructor(server: ReferenceServer, like?: Actor) {
    this.server = server
    this.keys = [...(like?.keys ?? [server.apiKey])]
    this.jobs = [...(like?.jobs ?? [])]
    this.#key = like?.key ?? server.apiKey
  }

  get key(): string {
    return this.#key
  }

  /** What a user sees of each step. */
  async do(todo: readonly Step[]): Promise<unknown[]> {
    const seen: unknown[] = []
    for (const one of todo) {
      seen.push(await this.#step(one))
      await this.server.clock.advance(0) // until deliveries that have started are over
    }
    return seen
  }

  async #step(one: Step): Promise<unknown> {
    const { server } = this
    switch (one.do) {
      case 'run':
        return this.#run(one.hasWebhook)
      case 'poll':
        return this.#ask('GET', one.job)
      case 'cancel':
        return this.#ask('DELETE', one.job)
      case 'advance':
        return server.clock.advance(one.ms)
      case 'script':
        return server.script('aurora-image', [one.outcome], this.key)
      case 'fault':
        return server.faults.add(one.fault, this.key).id
      case 'script webhooks':
        return server.webhooks.script(one.how, this.key)
      case 'use':
        this.#key = this.keys[one.key % this.keys.length] ?? this.key
        return this.key
      default:
        return this.#keyStep(one.do)
    }
  }

  async #keyStep(what: 'create' | 'rotate' | 'next' | 'reset'): Promise<unknown> {
    const { server } = this
    switch (what) {
      case 'create':
        return this.keys.push(server.createKey({ credits: 10, allowIps: ['127.0.0.0/8'] }).key)
      case 'rotate':
        return this.#rotate()
      case 'next':
        return hasUnread(server) ? server.webhooks.next() : undefined
      case 'reset':
        return server.reset(this.key)
    }
  }

  #rotate(): string | undefined {
    if (this.keys.indexOf(this.key) !== this.keys.length - 1) return undefined // it may be revoked already
    this.#key = this.server.rotateKey(this.key).key
    this.keys.push(this.key)
    return this.key
  }

  async #run(hasWebhook: boolean): Promise<unknown> {
    const target = hasWebhook ? { webhook_url: 'http://receiver.test/' } : { sync: false }
    const { status, body } = await apiCaller(this.server, this.key).run('aurora-image', target)
    if (typeof body.job_id === 'string') this.jobs.push({ id: body.job_id, key: this.key })
    return { status, body, credits: this.server.credits(this.key) }
  }

  async #ask(method: string, index: number): Promise<unknown> {
    const job = this.jobs[index % this.jobs.length]
    if (job === undefined) return undefined
    const { status, body } = await apiCaller(this.server, job.key).call(method, `/v1/jobs/${job.id}`)
    return { status, body }
  }
}

function hasUnread(server: ReferenceServer): boolean {
  return server.snapshot().accounts.some(({ deliveries }) => deliveries.some(({ unread }) => unread !== undefined))
}

describe('a server that was restored', () => {
  it('gives the same responses as the server that continues, whatever happened before and happens after', async () => {
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
})
