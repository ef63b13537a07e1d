import { closestName } from '@modelrun/kit'
import { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import { PLAN_IS_OVER } from '../domain/jobs.ts'
import { Service } from '../service/service.ts'
import { MAX_NESTING, nestingProblem, nestsDeeperThan, type ShapeCheck } from '../shared/parse-shape.ts'
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION, type Snapshot } from './take-snapshot.ts'

/** So many levels of objects and arrays a snapshot may have: those of a request's body, and some around what it held. */
export const SNAPSHOT_NESTING = MAX_NESTING + 16

/**
 * Puts a service into the state of a snapshot, or leaves it as it is and says what is wrong with the snapshot.
 *
 * @param value is the service's from now on: two servers that continue from the same snapshot must share nothing
 */
export function restoreSnapshot(service: Service, value: unknown): ShapeCheck<Snapshot> {
  const { format, version } = Object(value) as { format?: unknown; version?: unknown }
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
  if (nestsDeeperThan(SNAPSHOT_NESTING, value)) {
    return invalid(`The snapshot is damaged: it ${nestingProblem(SNAPSHOT_NESTING)}.`)
  }
  const snapshot = value as Snapshot // what is wrong with it is found when a service continues from it
  const trial = new Service({ ...service.options, clock: 'manual', log: undefined, deliver: () => new Response() })
  try {
    fill(trial, structuredClone(snapshot))
  } catch (error) {
    return invalid(
      `The snapshot is damaged: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, '')}.`,
    )
  } finally {
    trial.close()
  }
  fill(service, snapshot)
  return { ok: true, value: snapshot }
}

/** @throws Error of any kind for a snapshot that is damaged */
function fill(service: Service, snapshot: Snapshot): void {
  const { clock, deliveries, dispatcher, faults, jobs, keys, observer } = service
  const time = numberOf(snapshot.time, 'time')
  service.reset()
  const accounts = accountsFor(service, snapshot)
  // A clock that shows real time has continued meanwhile; any other one was paused.
  const passedMs = clock.mode === 'system' ? Date.now() - (snapshot.realTime ?? Date.now()) : 0
  clock.setTime(time + Math.max(0, passedMs))
  service.random.restore(snapshot.random)
  service.requests = numberOf(snapshot.requests, 'requests')
  faults.restart(numberOf(snapshot.seed, 'seed'))
  keys.replace(snapshot.keys.map((key) => ({ ...key, account: at(accounts, key.account), allowIps: key.allowIps })))
  observer.actions.replace(snapshot.actions ?? [])
  const ofAccount = (index: number) => (index < 0 ? null : at(accounts, index))
  observer.journal.restore((snapshot.journal ?? []).map((one) => ({ ...one, account: ofAccount(one.account) })))
  const restored = snapshot.jobs.map((state) => jobOf(state, at(accounts, state.account), service))
  const unfinished = restored.filter(({ job }) => job.end === undefined)
  for (const [index, state] of snapshot.accounts.entries()) fillAccount(service, at(accounts, index), state)
  adoptDeliveries(deliveries, snapshot, accounts)
  for (const { job } of unfinished) job.account.credits.reserve(job.model.pricing.credits_per_run)
  for (const { job } of restored) jobs.adopt(job)
  for (const { job } of unfinished.toSorted((one, other) => one.endPlace - other.endPlace)) jobs.awaitEnd(job)
  for (const { job } of unfinished) if (job.webhook !== undefined) service.jobTimers.schedule(job)
  for (const { job_id, ...delivery } of snapshot.pendingDeliveries) {
    const job = jobs.find(job_id)
    if (job?.webhook === undefined || job.end === undefined)
      throw new Error(`it delivers ${job_id}, which has no result`)
    dispatcher.resume({ job, webhook: job.webhook, ...delivery, dueAt: delivery.dueAt })
  }
  jobs.settle()
}

function fillAccount(service: Service, account: Account, state: Snapshot['accounts'][number]): void {
  const { credits, scripts, turns, webhook, faults } = state
  if (numberOf(credits.charged, 'charged') > credits.granted) throw new Error('more is charged than was granted')
  account.credits.restore(credits)
  account.webhook = webhook
  for (const [modelId, outcomes] of Object.entries(scripts)) account.addScript(modelOf(service, modelId).id, outcomes)
  for (const [modelId, turn] of Object.entries(turns)) account.turns.set(modelId, turn)
  service.faults.of(account).restore(faults)
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

function jobOf(state: Snapshot['jobs'][number], account: Account, service: Service): { job: Job; endPlace: number } {
  const { model, plan = PLAN_IS_OVER, endPlace = 0, webhook, endsAt, end, ...fields } = state
  if (state.plan === undefined && end === undefined)
    throw new Error(`the job ${state.id} has neither a plan nor an end`)
  const known = { plan: { ...plan, endsAt: plan.endsAt }, webhook, endsAt, end }
  return { job: { ...fields, ...known, account, model: modelOf(service, model) }, endPlace }
}

function modelOf({ models }: Service, id: string) {
  const model = models.get(id)
  if (model !== undefined) return model
  const closest = closestName(id, models.keys())
  const advice = closest === undefined ? 'Create the server with the catalog of the other one' : `It has ${closest}`
  throw new Error(`it has jobs or scripts of the model ${id}, which the catalog of this server lacks. ${advice}`)
}

/** Fewer are stored when this server's retention is smaller. */
function adoptDeliveries(log: Service['deliveries'], snapshot: Snapshot, accounts: readonly Account[]): void {
  const all = snapshot.accounts.flatMap(({ deliveries }, index) =>
    deliveries.map((delivery) => ({ ...delivery, account: at(accounts, index) })),
  )
  for (const { account, record } of all) log.adopt(account, record)
  const stored = new Set(accounts.flatMap((account) => log.of(account)))
  const unread = all.filter((one) => one.unread !== undefined && stored.has(one.record))
  for (const { account, record } of unread.toSorted((one, other) => Number(one.unread) - Number(other.unread))) {
    log.markUnread(account, record)
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`it names the account ${index}, and has ${items.length}`)
  return item
}

function numberOf(value: number, name: string): number {
  if (Number.isFinite(value)) return value
  throw new TypeError(`its member ${name} is not a number`)
}
