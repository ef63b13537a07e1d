import { closestName } from '@modelrun/kit'
import type { Service } from '../service/service.ts'
import type { Snapshot } from './snapshot-schema.ts'

type Models = Service['models']

/**
 * The first thing in a snapshot of the right shape that contradicts the rest of it, or the server, as a sentence that starts with
 * its JSON pointer.
 */
export function findContradiction(snapshot: Snapshot, models: Models): string | undefined {
  for (const found of contradictions(snapshot, models)) if (found !== undefined) return found
  return undefined
}

function* contradictions(snapshot: Snapshot, models: Models): Generator<string | undefined> {
  const { keys, jobs, accounts, pendingDeliveries } = snapshot
  yield duplicate('/keys', 'key', keys)
  yield duplicate('/jobs', 'id', jobs)
  yield* unknownAccounts('/keys', keys, accounts.length)
  yield* unknownAccounts('/jobs', jobs, accounts.length)
  for (const [index, account] of accounts.entries()) {
    const place = `/accounts/${index}`
    if (!keys.some((key) => key.account === index)) yield `${place} has no key.`
    yield overdrawn(`${place}/credits`, account, priceOfUnfinished(snapshot, index, models))
    for (const model of Object.keys(account.scripts)) yield unknownModel(`${place}/scripts`, model, models)
  }
  for (const [index, { model, plan, end }] of jobs.entries()) {
    yield unknownModel(`/jobs/${index}/model`, model, models)
    if (plan === undefined && end === undefined) yield `/jobs/${index} has neither a plan nor an end.`
  }
  const delivered = new Set(jobs.flatMap(({ id, end, webhook }) => (end && webhook ? [id] : [])))
  for (const [index, { job_id }] of pendingDeliveries.entries()) {
    if (!delivered.has(job_id)) {
      yield `/pendingDeliveries/${index}/job_id names ${JSON.stringify(job_id)}: no job of this id has an end and a webhook.`
    }
  }
}

function duplicate<Item>(place: string, member: keyof Item & string, items: readonly Item[]): string | undefined {
  const firsts = new Map<unknown, number>()
  for (const [index, { [member]: value }] of items.entries()) {
    const first = firsts.get(value)
    if (first !== undefined) return `${place}/${index}/${member} is the same as ${place}/${first}/${member}.`
    firsts.set(value, index)
  }
  return undefined
}

function* unknownAccounts(place: string, items: readonly { account: number }[], count: number): Generator<string> {
  for (const [index, { account }] of items.entries()) {
    if (account >= count) yield `${place}/${index}/account is ${account}, and there are ${count} accounts.`
  }
}

function priceOfUnfinished({ jobs }: Snapshot, account: number, models: Models): number {
  const unfinished = jobs.filter((job) => job.account === account && job.end === undefined)
  return unfinished.reduce((sum, { model }) => sum + (models.get(model)?.pricing.credits_per_run ?? 0), 0)
}

function overdrawn(
  place: string,
  { credits: { granted, charged } }: Snapshot['accounts'][number],
  reserved: number,
): string | undefined {
  if (charged + reserved <= granted) return undefined
  return `${place}: ${charged} credits are charged and ${reserved} are the price of unfinished jobs, but ${granted} were granted.`
}

function unknownModel(place: string, id: string, models: Models): string | undefined {
  if (models.has(id)) return undefined
  const closest = closestName(id, models.keys())
  const advice = closest === undefined ? 'Create the server with the catalog of the other one' : `It has ${closest}`
  return `${place} names ${JSON.stringify(id)}, which the catalog of this server lacks. ${advice}.`
}
