import { Account } from '../domain/account.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job, ProviderPlan } from '../domain/job.ts'
import { PLAN_IS_OVER } from '../domain/jobs.ts'
import type { Action } from '../history/actions.ts'
import type { ShapeCheck } from '../parse-shape.ts'
import { Service } from '../service/service.ts'
import { readSnapshot } from './read-snapshot.ts'
import type { AccountState, JobState, PlanState, Snapshot } from './snapshot.ts'
import { takeSnapshot } from './take-snapshot.ts'

/**
 * Puts a service into the state of a snapshot, or leaves it as it is and says what is wrong with the snapshot.
 *
 * @param value is the service's from now on: two servers that continue from the same snapshot must share nothing
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
  service.faults.restart(snapshot.seed)
  service.keys.replace(
    snapshot.keys.map((key) => ({ ...key, allowIps: key.allowIps, account: at(accounts, key.account) })),
  )
  // What led to the state: checked to be actions by their call and time, read by the dashboard alone.
  service.observer.actions.replace((snapshot.actions ?? []) as readonly Action[])
  const jobs = snapshot.jobs.map((state) => jobFrom(state, at(accounts, state.account), service.models))
  const reserved = reservations(jobs)
  for (const [index, state] of snapshot.accounts.entries()) {
    const account = at(accounts, index)
    account.credits.restore(state.credits, reserved.get(account) ?? 0)
    fillAccount(service, account, state)
  }
  markUnread(service, snapshot, accounts)
  adoptJobs(service, snapshot, jobs)
  resumeDeliveries(service, snapshot)
  service.jobs.settle()
  return checked
}

/** A clock that shows real time has continued meanwhile; any other one was paused. */
function timeNow({ clock }: Service, { time, realTime }: Snapshot): number {
  return clock.mode === 'system' && realTime !== undefined ? time + Math.max(0, Date.now() - realTime) : time
}

/**
 * The accounts of a snapshot. Requests that are being received, and readers of deliveries, hold the account of their key:
 * where the snapshot has it too, it continues.
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
  for (const [modelId, turn] of Object.entries(state.turns ?? {})) account.turns.set(modelId, turn)
  service.faults.of(account).restore(state.faults)
  service.deliveries.adopt(account, state.deliveries)
}

function markUnread({ deliveries }: Service, snapshot: Snapshot, accounts: readonly Account[]): void {
  // Fewer are stored when this server's retention is smaller.
  const stored = new Set(accounts.flatMap((account) => deliveries.of(account)))
  for (const { account, delivery } of snapshot.unread) {
    const record = snapshot.accounts[account]?.deliveries[delivery]
    if (record !== undefined && stored.has(record)) deliveries.markUnread(at(accounts, account), record)
  }
}

function jobFrom(state: JobState, account: Account, models: ReadonlyMap<string, CatalogModel>): Job {
  const { model: modelId, plan, endPlace: _, webhook, endsAt, end, ...fields } = state
  const model = models.get(modelId)
  if (model === undefined) throw new TypeError(`There is no model ${modelId}.`) // `readSnapshot` has checked
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
  for (const job of unfinished) if (job.webhook !== undefined) jobTimers.schedule(job)
}

function resumeDeliveries({ jobs, dispatcher }: Service, { pendingDeliveries: deliveries }: Snapshot): void {
  for (const { job_id, body, sent, isHeld, dueAt } of deliveries) {
    const job = jobs.find(job_id)
    if (job?.webhook !== undefined) dispatcher.resume({ job, webhook: job.webhook, body, sent, isHeld, dueAt })
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`There is no item ${index}.`) // `readSnapshot` has checked
  return item
}

/** A service with the same options and the same state. */
export function forkService(service: Service): Service {
  const fork = new Service({ ...service.options, baseUrl: service.baseUrl })
  copyState(service, fork)
  return fork
}

/** Puts a service of the same options into the state of another, the speed of its clock included. */
export function copyState(service: Service, fork: Service): void {
  const scale = service.clock.speed?.scale()
  if (scale !== undefined) fork.clock.speed?.setScale(scale)
  fork.receivers.addFormerUrl(service.baseUrl)
  // It continues at once: no time has passed for a server that was not there.
  const restored = restoreSnapshot(fork, { ...takeSnapshot(service), realTime: undefined })
  if (!restored.ok) throw new Error(`The reference server has a defect: its own snapshot is wrong. ${restored.message}`)
}
