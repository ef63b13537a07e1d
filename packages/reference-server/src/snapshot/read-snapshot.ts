import { closestName } from '@modelrun/kit'
import { createIpAllowlist } from '../domain/ip-allowlist.ts'
import { nestingProblem, nestsDeeperThan } from '../json.ts'
import { parseShape, type ShapeCheck } from '../parse-shape.ts'
import type { Service } from '../service/service.ts'
import { SNAPSHOT_FORMAT, SNAPSHOT_NESTING, SNAPSHOT_VERSION, type Snapshot, snapshotSchema } from './snapshot.ts'

/** Checks what is said to be a snapshot, and that the service can continue from it. The message is for people. */
export function readSnapshot(service: Service, value: unknown): ShapeCheck<Snapshot> {
  const { format, version } = Object(value) as { format?: unknown; version?: unknown }
  if (format !== SNAPSHOT_FORMAT) {
    return invalid(`That is not a snapshot of a reference server: its member format is not "${SNAPSHOT_FORMAT}".`)
  }
  if (version !== SNAPSHOT_VERSION) {
    const shown = typeof version === 'object' ? 'an object' : String(version).slice(0, 80)
    return invalid(
      `The snapshot has the version ${shown}, and this release reads version ${SNAPSHOT_VERSION}. ` +
        'Take a new one with this release, or read it with the release that took it.',
    )
  }
  if (nestsDeeperThan(SNAPSHOT_NESTING, value)) return invalid(damaged(`it ${nestingProblem(SNAPSHOT_NESTING)}`))
  const checked = parseShape(snapshotSchema, value)
  if (!checked.ok) return invalid(`The snapshot is damaged. ${checked.message}`)
  const problem = problemOf(service, checked.value)
  return problem === undefined ? checked : invalid(problem)
}

function invalid(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

/** What a schema cannot check: whether its parts fit together, and fit the server. */
function problemOf(service: Service, snapshot: Snapshot): string | undefined {
  return (
    missingModel(service, snapshot) ??
    danglingAccount(snapshot) ??
    invalidCredits(snapshot) ??
    invalidKey(snapshot) ??
    invalidJob(snapshot) ??
    invalidDelivery(snapshot)
  )
}

function missingModel({ models }: Service, { jobs, accounts }: Snapshot): string | undefined {
  const wanted = [...jobs.map(({ model }) => model), ...accounts.flatMap(({ scripts }) => Object.keys(scripts))]
  const missing = wanted.find((id) => !models.has(id))
  if (missing === undefined) return undefined
  const closest = closestName(missing, [...models.keys()])
  return `The snapshot has jobs or scripts of the model ${missing}, which the catalog of this server lacks. ${
    closest === undefined ? 'Create the server with the catalog of the other one.' : `It has ${closest}.`
  }`
}

function danglingAccount({ accounts, keys, jobs, unread }: Snapshot): string | undefined {
  const users = [...keys, ...jobs, ...unread].map(({ account }) => account)
  const index = users.find((account) => account >= accounts.length)
  if (index !== undefined) return damaged(`it names the account ${index}, and has ${accounts.length}`)
  const owners = new Set(keys.map(({ account }) => account))
  const unowned = accounts.findIndex((_, account) => !owners.has(account))
  return unowned < 0 ? undefined : damaged(`the account ${unowned} has no key`)
}

function invalidCredits({ accounts }: Snapshot): string | undefined {
  const index = accounts.findIndex(({ credits }) => credits.charged > credits.granted)
  if (index < 0) return undefined
  return damaged(`/accounts/${index}/credits/charged must not be more than /accounts/${index}/credits/granted`)
}

function invalidKey({ keys }: Snapshot): string | undefined {
  const known = new Set<string>()
  for (const [index, { key }] of keys.entries()) {
    if (known.has(key)) return damaged(`/keys/${index} is there twice`)
    known.add(key)
  }
  try {
    for (const { allowIps } of keys) if (allowIps !== undefined) createIpAllowlist(allowIps)
    return undefined
  } catch (error) {
    return damaged(error instanceof Error ? error.message : String(error))
  }
}

function invalidJob({ jobs }: Snapshot): string | undefined {
  const ids = new Set<string>()
  for (const [index, { id, plan, end }] of jobs.entries()) {
    if (ids.has(id)) return damaged(`/jobs/${index} has the id of another job`)
    if ((plan === undefined) === (end === undefined)) return damaged(`/jobs/${index} needs either plan or end`)
    ids.add(id)
  }
  return undefined
}

function invalidDelivery({ pendingDeliveries: deliveries, jobs, unread, accounts }: Snapshot): string | undefined {
  const deliverable = new Set(jobs.filter(({ end, webhook }) => end && webhook).map(({ id }) => id))
  const index = deliveries.findIndex(({ job_id }) => !deliverable.has(job_id))
  if (index >= 0) return damaged(`/pendingDeliveries/${index} is not of a finished job with a webhook`)
  const lost = unread.findIndex(({ account, delivery }) => accounts[account]?.deliveries[delivery] === undefined)
  return lost < 0 ? undefined : damaged(`/unread/${lost} is not a delivery`)
}

function damaged(reason: string): string {
  return `The snapshot is damaged: ${reason.replace(/\.$/, '')}.`
}
