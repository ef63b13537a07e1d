import type { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import type { Service } from '../service/service.ts'
import {
  type AccountState,
  type JobState,
  type KeyState,
  type PendingDeliverySnapshot,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type Snapshot,
} from './snapshot.ts'

/**
 * The state of a service at one moment, ready to be written as JSON, all at once or part by part: what changes later is
 * copied, and what never changes is shared with the service.
 */
export interface SnapshotView extends Omit<Snapshot, 'jobs'> {
  /** Finished ones first. They become JSON one by one, as there may be a hundred thousand. */
  jobs: Iterable<JobState>
}

/** The state of a service as it is now; nothing that happens later changes it. */
export function takeSnapshot(service: Service): Snapshot {
  const view = viewSnapshot(service)
  return JSON.parse(JSON.stringify({ ...view, jobs: [...view.jobs] })) // it holds nothing but JSON
}

/** The state of a service as it is now. The clock is settled once: all parts are of the same moment. */
export function viewSnapshot(service: Service): SnapshotView {
  const time = service.jobs.settle()
  const unfinished = service.jobs.unfinished()
  const endPlaces = ranks(unfinished, (job) => service.jobs.endPlace(job))
  const accounts = [...service.keys.accounts()]
  const indexes = new Map(accounts.map((account, index) => [account, index]))
  const indexOf = (account: Account) => indexes.get(account) ?? -1 // every account has a key, so all are listed
  const states = accounts.map((account) => accountState(service, account))
  return {
    format: SNAPSHOT_FORMAT,
    version: SNAPSHOT_VERSION,
    time,
    realTime: service.clock.mode === 'system' ? Date.now() : undefined,
    seed: service.faults.seed,
    random: service.random.state(),
    requests: service.requests,
    accounts: states,
    keys: service.keys.all().map(({ allowsIp: _, ...key }): KeyState => ({ ...key, account: indexOf(key.account) })),
    jobs: jobStates(
      service.jobs.finished(),
      unfinished.map((job) => ({ ...unfinishedJob(job, indexOf(job.account)), endPlace: endPlaces.get(job) })),
      indexOf,
    ),
    pendingDeliveries: pendingDeliveriesOf(service),
    ...(service.observer.isShown ? { actions: service.observer.actions.list() } : {}),
    unread: unreadDeliveries(service, states),
  }
}

/** A finished job changes no more, so it is read when its turn comes. */
function* jobStates(
  finished: readonly Job[],
  unfinished: readonly JobState[],
  indexOf: (account: Account) => number,
): Iterable<JobState> {
  for (const job of finished) yield finishedJob(job, indexOf(job.account))
  yield* unfinished
}

function accountState(service: Service, account: Account): AccountState {
  return {
    name: account.name,
    credits: account.credits.state(),
    scripts: account.scripts(),
    ...(account.turns.size === 0 ? {} : { turns: Object.fromEntries(account.turns) }),
    webhook: account.webhook,
    faults: service.faults.of(account).state(),
    deliveries: service.deliveries.of(account),
  }
}

function finishedJob(job: Job, account: number): JobState {
  const { model, plan: _, endsAt: __, ...fields } = job
  return { ...fields, account, model: model.id }
}

function unfinishedJob(job: Job, account: number): JobState {
  return { ...job, account, model: job.model.id }
}

/** The pending deliveries. A delivery is dropped with its job. */
function pendingDeliveriesOf({ dispatcher, jobs }: Service): PendingDeliverySnapshot[] {
  return dispatcher
    .pendingDeliveries()
    .filter(({ job }) => jobs.has(job))
    .map(({ job, body, sent, isHeld, dueAt }) => ({ job_id: job.id, body, sent, isHeld, dueAt }))
}

/** The places of those that have one, counted from 0: two servers in the same state give the same snapshot. */
function ranks<Item>(items: readonly Item[], placeOf: (item: Item) => number | undefined): Map<Item, number> {
  const placed = items.flatMap((item) => {
    const place = placeOf(item)
    return place === undefined ? [] : [{ item, place }]
  })
  return new Map(placed.toSorted((one, other) => one.place - other.place).map(({ item }, rank) => [item, rank]))
}

function unreadDeliveries({ deliveries }: Service, accounts: readonly AccountState[]): Snapshot['unread'] {
  const places = new Map(
    accounts.flatMap((state, account) =>
      state.deliveries.map((record, delivery) => [record, { account, delivery }] as const),
    ),
  )
  return deliveries.unread().flatMap((record) => places.get(record) ?? [])
}
