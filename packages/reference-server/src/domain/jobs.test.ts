import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Account } from './account.ts'
import { DEFAULT_CATALOG } from './catalog.ts'
import { type Job, type ProviderPlan, statusAt } from './job.ts'
import { Jobs } from './jobs.ts'

const [sample] = DEFAULT_CATALOG
if (sample === undefined) throw new Error('The catalog is empty.')
const model = { ...sample, pricing: { credits_per_run: 7 } }

function setUp(credits = 1_000) {
  let now = 0
  let count = 0
  const jobs = new Jobs(
    () => now,
    () => {},
    { finishedJobs: 1_000, chargesFailed: false },
  )
  const account = new Account(credits)
  const create = (provider: Partial<ProviderPlan>, processingAt = 0, owner = account): Job => {
    owner.credits.reserve(model.pricing.credits_per_run)
    const id = `job_${count++}`
    const plan = { processingAt, provider: { endsAt: 100, afterReads: 0, status: 'succeeded', ...provider } as const }
    const fields = { id, requestId: 'req_1', account: owner, model, input: {}, seed: 1, createdAt: now }
    return jobs.create({ ...fields, plan, webhook: undefined })
  }
  const at = (time: number) => {
    now = time
    jobs.settle()
  }
  return { jobs, account, create, at, now: () => now }
}

describe('jobs', () => {
  it('end at the read that was awaited last, if their time has come by then', () => {
    const { create, at, jobs } = setUp()
    const both = create({ endsAt: 40, afterReads: 1 })
    at(50)
    expect(statusAt(both, 50)).toBe('processing')
    jobs.countRead(both)
    at(60)
    expect(both.end?.at).toBe(50)
  })

  it('end in the order in which they started, where they end together', () => {
    const { create, at, jobs } = setUp()
    const [first, second] = [create({ endsAt: 40, afterReads: 1 }), create({ endsAt: 100 })]
    at(100)
    const third = create({})
    jobs.countRead(first)
    at(200)
    expect(jobs.finished()).toEqual([second, first, third])
  })

  it('make only the transitions of the contract, and credits always add up (section 3)', () => {
    const step = fc.record({ kind: fc.constantFrom('create', 'wait', 'cancel', 'read'), n: fc.nat(40) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { jobs, account, create, at, now } = setUp()
        const made: Job[] = []
        const seen = new Map<Job, string>()
        const some = (n: number) => made.slice(n % Math.max(1, made.length)).slice(0, 1)
        const actions = {
          create: (n: number) => void made.push(create(planFrom(n, now()), now() + n / 2)),
          wait: (n: number) => at(now() + n),
          cancel: (n: number) => some(n).forEach((job) => void jobs.end(job, { status: 'cancelled' })),
          read: (n: number) => some(n).forEach((job) => void jobs.countRead(job)),
        }
        for (const { kind, n } of steps) {
          actions[kind](n)
          jobs.settle()
          for (const job of made) checkTransition(seen, job, statusAt(job, now()))
        }
        const costOf = (...statuses: string[]) =>
          7 * made.filter((job) => statuses.includes(statusAt(job, now()))).length
        expect(account.credits.left).toBe(1_000 - costOf('succeeded'))
        expect(account.credits.available).toBe(1_000 - costOf('succeeded', 'queued', 'processing'))
      }),
    )
  })
})

function planFrom(n: number, now: number): Partial<ProviderPlan> {
  const endsAt = n % 7 === 0 ? undefined : now + n
  return { endsAt, status: n % 3 === 0 ? 'failed' : 'succeeded', afterReads: n % 5 === 0 ? 2 : 0 }
}

/** By the table of section 3; a queued job may also have been processed between two reads. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  queued: ['processing', 'succeeded', 'failed', 'cancelled'],
  processing: ['succeeded', 'failed', 'cancelled'],
}

function checkTransition(seen: Map<Job, string>, job: Job, status: string): void {
  const before = seen.get(job)
  seen.set(job, status)
  if (before === undefined || before === status) return
  expect(AFTER[before] ?? [], `${before} -> ${status}`).toContain(status)
}
