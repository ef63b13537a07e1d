import { Account } from '../domain/account.ts'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job, ProviderPlan } from '../domain/job.ts'
import { PLAN_IS_OVER } from '../domain/jobs.ts'
import { jsonCopy } from '../json-copy.ts'
import type { ShapeCheck } from '../parse-shape.ts'
import type { Service } from '../service/service.ts'
import { readSnapshot } from './read-snapshot.ts'
import type { AccountState, JobState, PlanState, Snapshot } from './snapshot.ts'

/** Puts a service into the state of a snapshot, or leaves it as it is and says what is wrong with the snapshot. */
export function restoreSnapshot(service: Service, value: unknown): ShapeCheck<Snapshot> {
  // A copy, so that two servers which go on from the same snapshot share nothing.
  const checked = readSnapshot(service, jsonCopy(value))
  if (!checked.ok) return checked
  const snapshot = checked.value
  service.reset()
  service.clock.setTime(timeNow(service, snapshot))
  service.random.restore(snapshot.random)
  service.requests = snapshot.requests
  service.faults.begin(snapshot.seed)
  const accounts = snapshot.accounts.map((state) => new Account(state.credits.grant, state.name))
  service.keys.replace(
    snapshot.keys.map((key) => ({ ...key, allowIps: key.allowIps, account: at(accounts, key.account) })),
  )
  const jobs = snapshot.jobs.map((state) => jobFrom(state, at(accounts, state.account), service.models))
  for (const [index, state] of snapshot.accounts.entries()) {
    fillAccount(service, at(accounts, index), { state, jobs })
  }
  for (const { account, delivery } of snapshot.unread) markUnread(service, at(accounts, account), delivery)
  adoptJobs(service, snapshot, jobs)
  resumeErrands(service, snapshot)
  service.jobs.settle()
  return checked
}

/** A clock that shows real time has gone on meanwhile; any other one stood still. */
function timeNow({ clock }: Service, { time, realTime }: Snapshot): number {
  return clock.mode === 'system' && realTime !== undefined ? time + Math.max(0, Date.now() - realTime) : time
}

interface Filling {
  state: AccountState
  /** Of all accounts. */
  jobs: readonly Job[]
}

function fillAccount(service: Service, account: Account, { state, jobs }: Filling): void {
  const unfinished = jobs.filter((job) => job.account === account && job.end === undefined)
  const reserved = unfinished.reduce((sum, { model }) => sum + model.pricing.credits_per_run, 0)
  account.credits.restore(state.credits, reserved)
  account.webhook = state.webhook
  for (const [modelId, outcomes] of Object.entries(state.scripts)) account.addScript(modelId, outcomes)
  service.faults.of(account).restore(state.faults)
  service.deliveries.adopt(account, state.deliveries)
}

function markUnread({ deliveries }: Service, account: Account, index: number): void {
  const record = deliveries.of(account)[index]
  // Fewer are kept when this server's retention is smaller.
  if (record !== undefined) deliveries.markUnread(account, record)
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

function resumeErrands({ jobs, dispatcher }: Service, { errands }: Snapshot): void {
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
