import type { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import { jsonCopy } from '../json-copy.ts'
import type { Service } from '../service/service.ts'
import {
  type AccountState,
  type ErrandSnapshot,
  type JobState,
  type KeyState,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type Snapshot,
} from './snapshot.ts'

/** The state of a service as it is now; nothing that happens later changes it. */
export function takeSnapshot(service: Service): Snapshot {
  const unfinished = service.jobs.unfinished()
  const endPlaces = ranks(unfinished, (job) => service.jobs.endPlace(job))
  const accounts = [...service.keys.accounts()]
  const indexes = new Map(accounts.map((account, index) => [account, index]))
  const indexOf = (account: Account) => indexes.get(account) ?? -1 // every account has a key, so all are listed
  const snapshot: Snapshot = {
    format: SNAPSHOT_FORMAT,
    version: SNAPSHOT_VERSION,
    time: service.clock.now(),
    realTime: service.clock.mode === 'system' ? Date.now() : undefined,
    seed: service.faults.seed,
    random: service.random.state(),
    requests: service.requests,
    accounts: accounts.map((account) => accountState(service, account)),
    keys: service.keys.all().map(({ allowsIp: _, ...key }): KeyState => ({ ...key, account: indexOf(key.account) })),
    jobs: [
      ...service.jobs.finished().map((job) => finishedJob(job, indexOf(job.account))),
      ...unfinished.map((job) => ({ ...unfinishedJob(job, indexOf(job.account)), endPlace: endPlaces.get(job) })),
    ],
    errands: service.dispatcher
      .errands()
      .map(({ job, body, sent, isHeld, dueAt }): ErrandSnapshot => ({ job_id: job.id, body, sent, isHeld, dueAt })),
    unread: unreadDeliveries(service, accounts),
  }
  return jsonCopy(snapshot) as Snapshot // it holds nothing but JSON
}

function accountState(service: Service, account: Account): AccountState {
  return {
    name: account.name,
    credits: account.credits.state(),
    scripts: account.scripts(),
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

/** The places of those that have one, counted from 0: two servers in the same state give the same snapshot. */
function ranks<Item>(items: readonly Item[], placeOf: (item: Item) => number | undefined): Map<Item, number> {
  const placed = items.flatMap((item) => {
    const place = placeOf(item)
    return place === undefined ? [] : [{ item, place }]
  })
  return new Map(placed.toSorted((one, other) => one.place - other.place).map(({ item }, rank) => [item, rank]))
}

function unreadDeliveries(service: Service, accounts: readonly Account[]): Snapshot['unread'] {
  const places = new Map(
    accounts.flatMap((one, account) =>
      service.deliveries.of(one).map((record, delivery) => [record, { account, delivery }] as const),
    ),
  )
  return service.deliveries.unread().flatMap((record) => places.get(record) ?? [])
}
