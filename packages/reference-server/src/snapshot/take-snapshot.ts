import { ConfigurationError, memberOf } from '@modelrun/kit'
import type { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import type { Service } from '../service/service.ts'
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION, type Snapshot } from './snapshot-schema.ts'

/**
 * The state of a service as it is now; nothing that happens later changes it.
 *
 * @throws ConfigurationError that names the outcomes and faults whose condition is a function, which JSON cannot have
 */
export function takeSnapshot(service: Service): Snapshot {
  const functions = [...service.keys.accounts()].flatMap(functionsOf)
  if (functions.length > 0) {
    const message = `A snapshot cannot have the function \`when.input\` of ${functions.join(', ')}. Use an object there, or take the snapshot before.`
    throw new ConfigurationError({ message })
  }
  return JSON.parse(JSON.stringify(stateOf(service))) // it holds nothing but JSON
}

function functionsOf(account: Account): string[] {
  const isFunction = (when: unknown) => typeof memberOf(when, 'input') === 'function'
  const scripts = Object.entries(account.scripts()).filter(([, outcomes]) =>
    outcomes.some(({ when }) => isFunction(when)),
  )
  const added = account.faults.list().filter(({ fault }) => isFunction(fault.when))
  return [...scripts.map(([model]) => `an outcome of ${model}`), ...added.map(({ id }) => id)]
}

/** Accounts are named by their index. The clock is settled once: all parts are of the same moment. */
function stateOf(service: Service): Snapshot {
  const time = service.jobs.settle()
  const { clock, deliveries, jobs, keys } = service
  const accounts = [...keys.accounts()]
  const indexes = new Map(accounts.map((account, index) => [account, index]))
  const indexOf = (account: Account) => indexes.get(account) ?? -1 // every account has a key, so all are listed
  const unread = new Map(deliveries.unread().map((record, place) => [record, place]))
  return {
    format: SNAPSHOT_FORMAT,
    version: SNAPSHOT_VERSION,
    time,
    realTime: clock.mode === 'system' ? Date.now() : undefined,
    seed: service.random.seed,
    random: service.random.state(),
    requests: service.requests,
    accounts: accounts.map((account) => ({
      name: account.name,
      credits: account.credits.state(),
      scripts: account.scripts(),
      turns: Object.fromEntries(account.turns),
      webhook: account.webhook,
      faults: account.faults.state(),
      deliveries: deliveries.of(account).map((record) => ({ record, unread: unread.get(record) })),
    })),
    keys: keys.all().map(({ allowsIp: _, ...key }) => ({ ...key, account: indexOf(key.account) })),
    jobs: [...jobs.finished(), ...jobs.unfinished()].map((job) => ({
      ...withoutPlan(job),
      account: indexOf(job.account),
      model: job.model.id,
    })),
    // A delivery is dropped with its job.
    pendingDeliveries: service.dispatcher
      .pendingDeliveries()
      .filter(({ job }) => jobs.has(job))
      .map(({ job, body, sent, dueAt }) => ({ job_id: job.id, body, sent, dueAt })),
  }
}

/** A job that has ended needs no plan. */
function withoutPlan({ plan, ...job }: Job): Omit<Job, 'plan'> & { plan?: Job['plan'] } {
  return job.end === undefined ? { ...job, plan } : job
}
