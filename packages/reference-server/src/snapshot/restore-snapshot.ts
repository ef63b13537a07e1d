import { Account } from '../domain/account.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job, ProviderPlan } from '../domain/job.ts'
import { PLAN_IS_OVER } from '../domain/jobs.ts'
import type { ShapeCheck } from '../parse-shape.ts'
import type { Service } from '../service/service.ts'
import { readSnapshot } from './read-snapshot.ts'
import type { AccountState, JobState, PlanState, Snapshot } from './snapshot.ts'

/**
 * Puts a service into the state of a snapshot, or leaves it as it is and says what is wrong with the snapshot.
 *
 * @param value is the service's from now on: two servers that go on from the same snapshot must share nothing
 */
export function restoreSnapshot(service: Service, value: unknown): ShapeCheck<Snapshot> {
  const checked = readSnapshot(service, value)
  if (!checked.ok) return checked
  const snapshot = checked.value
  service.reset()
  const accounts = accountsFor(service, snapshot)
  service.clock.setTime(timeNow(service, snapshot))
  service.random.restore(snapshot.random)
  service.requests = snapshot.requests
  service.faults.begin(snapshot.seed)
  service.keys.replace(
    snapshot.keys.map((key) => ({ ...key, allowIps: key.allowIps, account: at(accounts, key.account) })),
  )
  const jobs = snapshot.jobs.map((state) => jobFrom(state, at(accounts, state.account), service.models))
  const reserved = reservations(jobs)
  for (const [index, state] of snapshot.accounts.entries()) {
    const account = at(accounts, index)
    account.credits.restore(state.credits, reserved.get(account) ?? 0)
    fillAccount(service, account, state)
  }
  markUnread(service, snapshot, accounts)
  adoptJobs(service, snapshot, jobs)
  resumeErrands(service, snapshot)
  service.jobs.settle()
  return checked
}

/** A clock that shows real time has gone on meanwhile; any other one stood still. */
function timeNow({ clock }: Service, { time, realTime }: Snapshot): number {
  return clock.mode === 'system' && realTime !== undefined ? time + Math.max(0, Date.now() - realTime) : time
}

/**
 * The accounts of a snapshot. Requests that are being received, and readers of deliveries, hold the account of their key:
 * where the snapshot has it too, it goes on.
 */
function accountsFor({ keys }: Service, snapshot: Snapshot): Account[] {
  const firstKeys = new Map(snapshot.keys.toReversed().map(({ account, key }) => [account, key]))
  const reused = new Set<Account>()
  return snapshot.accounts.map(({ credits, name }, index) => {
    const known = keys.find(firstKeys.get(index) ?? '')?.account
    if (known === undefined || known.name !== name || reused.has(known)) return new Account(credits.grant, name)
    reused.add(known)
    return known
  })
}

/** The price of the unfinished jobs of each account. */
function reservations(jobs: readonly Job[]): Map<Account, number> {
  const sums = new Map<Account, number>()
  for (const { account, end, model } of jobs) {
    if (end === undefined) sums.set(account, (sums.get(account) ?? 0) + model.pricing.credits_per_run)
  }
  return sums
}

function fillAccount(service: Service, account: Account, state: AccountState): void {
  account.webhook = state.webhook
  for (const [modelId, outcomes] of Object.entries(state.scripts)) account.addScript(modelId, outcomes)
  service.faults.of(account).restore(state.faults)
  service.deliveries.adopt(account, state.deliveries)
}

function markUnread({ deliveries }: Service, snapshot: Snapshot, accounts: readonly Account[]): void {
  // Fewer are kept when this server's retention is smaller.
  const kept = new Set(accounts.flatMap((account) => deliveries.of(account)))
  for (const { account, delivery } of snapshot.unread) {
    const record = snapshot.accounts[account]?.deliveries[delivery]
    if (record !== undefined && kept.has(record)) deliveries.markUnread(at(accounts, account), record)
  }
}

function jobFrom(state: JobState, account: Account, models: ReadonlyMap<string, CatalogModel>): Job {
  const { model: modelId, plan, endPlace: _, webhook, endsAt, end, ...fields } = state
  const model = models.get(modelId)
  if (model === undefined) throw new TypeError(`There is no model ${modelId}.`) // `readSnapshot` has looked
  return { ...fields, account, model, plan: planFrom(plan), webhook, endsAt, end }
}

function planFrom(plan: PlanState | undefined): ProviderPlan {
  return plan === undefined ? PLAN_IS_OVER : { ...plan, endsAt: plan.endsAt }
}

function adoptJobs({ jobs, jobTimers }: Service, snapshot: Snapshot, restored: readonly Job[]): void {
  const places = new Map(snapshot.jobs.map(({ id, endPlace = 0 }) => [id, endPlace]))
  const placeOf = ({ id }: Job) => places.get(id) ?? 0
  for (const job of restored) jobs.adopt(job)
  const unfinished = restored.filter(({ end }) => end === undefined)
  for (const job of unfinished.toSorted((one, other) => placeOf(one) - placeOf(other))) jobs.awaitEnd(job)
  for (const job of unfinished) if (job.webhook !== undefined) jobTimers.watch(job)
}

function resumeErrands({ jobs, dispatcher }: Service, { pendingDeliveries: errands }: Snapshot): void {
  for (const { job_id, body, sent, isHeld, dueAt } of errands) {
    const job = jobs.find(job_id)
    if (job?.webhook !== undefined) dispatcher.resume({ job, webhook: job.webhook, body, sent, isHeld, dueAt })
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`There is no item ${index}.`) // `readSnapshot` has looked
  return item
}
