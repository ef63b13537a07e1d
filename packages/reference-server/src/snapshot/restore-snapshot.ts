import { isRecord } from '@modelrun/kit'
import { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import { PLAN_IS_OVER } from '../domain/jobs.ts'
import type { Service } from '../service/service.ts'
import { MAX_NESTING, nestingProblem, nestsDeeperThan, parseShape, type ShapeCheck } from '../shared/parse-shape.ts'
import { findContradiction } from './find-contradiction.ts'
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION, type Snapshot, snapshotSchema } from './snapshot-schema.ts'

/** So many levels of objects and arrays a snapshot may have: those of a request's body, and some around what it held. */
export const SNAPSHOT_NESTING = MAX_NESTING + 16

/**
 * Puts a service into the state of a snapshot, or leaves it as it is and says what is wrong with the snapshot.
 *
 * @param value is the service's from now on: two servers that continue from the same snapshot must share nothing
 */
export function restoreSnapshot(service: Service, value: unknown): ShapeCheck<Snapshot> {
  const checked = checkSnapshot(service, value)
  if (checked.ok) fill(service, checked.value)
  return checked
}

function checkSnapshot({ models }: Service, value: unknown): ShapeCheck<Snapshot> {
  const { format, version } = isRecord(value) ? value : {}
  const invalid = (message: string) => ({ ok: false as const, message })
  if (format !== SNAPSHOT_FORMAT) {
    return invalid(`That is not a snapshot of a reference server: its member format is not "${SNAPSHOT_FORMAT}".`)
  }
  if (version !== SNAPSHOT_VERSION) {
    return invalid(
      `The snapshot has the version ${JSON.stringify(version)?.slice(0, 80)}, and this release reads version ${SNAPSHOT_VERSION}. ` +
        'Take a new one with this release, or read it with the release that took it.',
    )
  }
  const damaged = (reason: string) =>
    invalid(`The snapshot is damaged: ${reason} Restore an older one, or take a new one.`)
  if (nestsDeeperThan(SNAPSHOT_NESTING, value)) return damaged(`it ${nestingProblem(SNAPSHOT_NESTING)}.`)
  const checked = parseShape(snapshotSchema, value)
  if (!checked.ok) return damaged(checked.message)
  const contradiction = findContradiction(checked.value, models)
  return contradiction === undefined ? checked : damaged(contradiction)
}

/** Of a snapshot that was checked. */
function fill(service: Service, snapshot: Snapshot): void {
  const { clock, deliveries, dispatcher, jobs, keys } = service
  service.reset()
  const accounts = accountsFor(service, snapshot)
  // A clock that shows real time has continued meanwhile; any other one was paused.
  const passedMs = clock.mode === 'system' ? Date.now() - (snapshot.realTime ?? Date.now()) : 0
  clock.setTime(snapshot.time + Math.max(0, passedMs))
  service.random.restore(snapshot.random, snapshot.seed)
  service.requests = snapshot.requests
  keys.replace(snapshot.keys.map((key) => ({ ...key, account: at(accounts, key.account), allowIps: key.allowIps })))
  const restored = snapshot.jobs.map((state) => jobOf(state, at(accounts, state.account), service))
  const unfinished = restored.filter(({ end }) => end === undefined)
  for (const [index, state] of snapshot.accounts.entries()) fillAccount(at(accounts, index), state, snapshot.seed)
  adoptDeliveries(deliveries, snapshot, accounts)
  for (const { account, model } of unfinished) account.credits.reserve(model.pricing.credits_per_run)
  for (const job of restored) jobs.adopt(job)
  for (const job of unfinished) if (job.webhook !== undefined) service.jobTimers.schedule(job)
  for (const { job_id, ...delivery } of snapshot.pendingDeliveries) {
    const job = jobs.find(job_id)
    if (job?.webhook !== undefined) dispatcher.resume({ job, webhook: job.webhook, ...delivery, dueAt: delivery.dueAt })
  }
  jobs.settle()
}

function fillAccount(account: Account, state: Snapshot['accounts'][number], seed: number): void {
  const { credits, scripts, turns, webhook, faults } = state
  account.credits.restore(credits)
  account.webhook = webhook
  for (const [modelId, outcomes] of Object.entries(scripts)) account.addScript(modelId, outcomes)
  for (const [modelId, turn] of Object.entries(turns)) account.turns.set(modelId, turn)
  account.faults.restore(faults, seed)
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

function jobOf(state: Snapshot['jobs'][number], account: Account, service: Service): Job {
  const { model, plan = PLAN_IS_OVER, webhook, endsAt, end, ...fields } = state
  const known = { plan: { ...plan, endsAt: plan.endsAt }, webhook, endsAt, end }
  return { ...fields, ...known, account, model: modelOf(service, model) }
}

function modelOf({ models }: Service, id: string) {
  const model = models.get(id)
  if (model !== undefined) return model
  throw new Error(`The snapshot was not checked: there is no model ${id}.`)
}

/** Fewer are stored when this server's retention is smaller. */
function adoptDeliveries(log: Service['deliveries'], snapshot: Snapshot, accounts: readonly Account[]): void {
  const all = snapshot.accounts.flatMap(({ deliveries }, index) =>
    deliveries.map((delivery) => ({ ...delivery, account: at(accounts, index) })),
  )
  // Those of all accounts in the order in which they ended, as they are read.
  for (const { account, record, unread } of all.toSorted(
    (one, other) => one.record.finishedAt - other.record.finishedAt,
  )) {
    log.adopt(account, record, unread !== undefined)
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new Error(`The snapshot was not checked: there is no account ${index}.`)
  return item
}
