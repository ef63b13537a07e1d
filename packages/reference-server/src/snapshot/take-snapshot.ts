import type { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import type { Service } from '../service/service.ts'

/** Member `format` of every snapshot. */
export const SNAPSHOT_FORMAT = 'modelrun-reference-server'

/** Rises when an older release could not read it any more. */
export const SNAPSHOT_VERSION = 1

/**
 * The whole state of a server as plain JSON: time, random numbers, keys, accounts with their credits, scripts and faults,
 * jobs, deliveries. Store it and pass it to `restore`; its content may change with `version`.
 *
 * Not in it: the journal, receivers in this process, and the options, which are the server's own.
 */
export type Snapshot = ReturnType<typeof stateOf>

/** The state of a service as it is now; nothing that happens later changes it. */
export function takeSnapshot(service: Service): Snapshot {
  return JSON.parse(JSON.stringify(stateOf(service))) // it holds nothing but JSON
}

/** Accounts are named by their index. The clock is settled once: all parts are of the same moment. */
function stateOf(service: Service) {
  const time = service.jobs.settle()
  const { clock, deliveries, faults, jobs, keys, observer } = service
  const accounts = [...keys.accounts()]
  const indexes = new Map(accounts.map((account, index) => [account, index]))
  const indexOf = (account: Account) => indexes.get(account) ?? -1 // every account has a key, so all are listed
  const endPlaces = ranks(jobs.unfinished(), (job) => jobs.endPlace(job))
  const unread = new Map(deliveries.unread().map((record, place) => [record, place]))
  return {
    format: SNAPSHOT_FORMAT,
    version: SNAPSHOT_VERSION,
    time,
    /** Only of a clock of real time, which continues for a server that is not there. */
    realTime: clock.mode === 'system' ? Date.now() : undefined,
    seed: faults.seed,
    random: service.random.state(),
    requests: service.requests,
    accounts: accounts.map((account) => ({
      name: account.name,
      credits: account.credits.state(),
      scripts: account.scripts(),
      turns: Object.fromEntries(account.turns),
      webhook: account.webhook,
      faults: faults.of(account).state(),
      /** With the place of each among those that no reader has got yet. */
      deliveries: deliveries.of(account).map((record) => ({ record, unread: unread.get(record) })),
    })),
    /** In the order of their creation; the first one is the server's `apiKey`. */
    keys: keys.all().map(({ allowsIp: _, ...key }) => ({ ...key, account: indexOf(key.account) })),
    /** Finished ones first. Of several that end at the same time, the one with the lower place ends first. */
    jobs: [...jobs.finished(), ...jobs.unfinished()].map((job) => ({
      ...withoutPlan(job),
      account: indexOf(job.account),
      model: job.model.id,
      endPlace: endPlaces.get(job),
    })),
    /** A delivery that had started starts again. A delivery is dropped with its job. */
    pendingDeliveries: service.dispatcher
      .pendingDeliveries()
      .filter(({ job }) => jobs.has(job))
      .map(({ job, body, sent, isHeld, dueAt }) => ({ job_id: job.id, body, sent, isHeld, dueAt })),
    /** What was done to a server with a dashboard. */
    actions: observer.isShown ? observer.actions.list() : undefined,
  }
}

/** A job that has ended needs no plan. */
function withoutPlan({ plan, ...job }: Job): Omit<Job, 'plan'> & { plan?: Job['plan'] } {
  return job.end === undefined ? { ...job, plan } : job
}

/** The places of those that have one, counted from 0: two servers in the same state give the same snapshot. */
function ranks<Item>(items: readonly Item[], placeOf: (item: Item) => number | undefined): Map<Item, number> {
  const placed = items.flatMap((item) => {
    const place = placeOf(item)
    return place === undefined ? [] : [{ item, place }]
  })
  return new Map(placed.toSorted((one, other) => one.place - other.place).map(({ item }, rank) => [item, rank]))
}
