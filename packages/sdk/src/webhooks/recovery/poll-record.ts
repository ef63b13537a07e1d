import { abortable } from '../../abort.ts'
import { fingerprintOf } from '../fingerprint.ts'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError } from '../inbox-errors.ts'
import type { LostJob } from '../inbox-notices.ts'
import { jobIdOfKey } from '../record-key.ts'
import type { DueRecord } from '../store/inbox-store.ts'
import { readStoredContext, readStoredDelivery, type StoredDelivery } from '../stored-delivery.ts'
import { eventOfJob } from '../trust/event-of-job.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { claimRecord } from '../work/claimed.ts'
import type { WorkOutcome } from '../work/end-work.ts'
import { startWork } from '../work/start-work.ts'
import type { Pacer } from './pacer.ts'

/** What a look at an overdue job came to. */
export type PollOutcome =
  | { kind: 'reconciled'; work: Promise<WorkOutcome> }
  | { kind: 'lost' }
  /** It is still expected, or another process or a delivery has it. */
  | undefined

/** How often a job must be missing before it is given up. */
const MAX_MISSING = 3
const MISSING = /^not found ×(\d)/

/** The longest wait between two looks at a job. */
const MAX_WAIT_MS = 15 * 60_000

/** Looks at a job whose delivery is overdue. */
export async function pollRecord(core: InboxCore, pacer: Pacer, record: DueRecord): Promise<PollOutcome> {
  const { looker, stopping } = core
  if (looker === undefined) return await waitOrGiveUp(core, record)
  const begin = async () => !pacer.isPaused && (await postpone(core, record))
  if (!(await pacer.turn(stopping.signal, begin))) return undefined
  const postponed = { ...record, polls: record.polls + 1 }
  const jobId = jobIdOfKey(record.key)
  const look = await abortable(looker.look(jobId), stopping.signal)
  if (look.kind === 'unreachable') pacer.pause(look.retryInMs)
  if (look.kind === 'not_found') return await missing(core, postponed)
  if (look.kind === 'unreachable' || look.kind === 'throttled') return undefined
  if (look.kind === 'refused') core.hooks.warn(`the overdue job ${jobId} could not be looked at`, look.error)
  const event = look.kind === 'job' ? eventOfJob(jobId, look.job) : undefined
  return event === undefined ? await giveUpWhenOld(core, postponed) : await deliver(core, record.key, event)
}

/** Only one of several processes moves a record on, and so looks at its job. */
async function postpone({ store, options }: InboxCore, { key, polls }: DueRecord, error?: string): Promise<boolean> {
  const waitMs = Math.min(MAX_WAIT_MS, options.expectedAfterMs * 2 ** (polls + 1))
  const pollInMs = waitMs * (0.8 + 0.4 * options.random())
  return await store.postpone(key, polls, { kind: 'expect', pollInMs }, error)
}

async function waitOrGiveUp(core: InboxCore, record: DueRecord): Promise<PollOutcome> {
  if (record.ageMs >= core.options.giveUpAfterMs) return await lose(core, record, 'gave_up')
  await postpone(core, record)
  return undefined
}

async function giveUpWhenOld(core: InboxCore, record: DueRecord): Promise<PollOutcome> {
  if (record.ageMs < core.options.giveUpAfterMs) return undefined
  return await lose(core, record, 'gave_up')
}

/** The count is kept where every process sees it. */
async function missing(core: InboxCore, record: DueRecord): Promise<PollOutcome> {
  const [, before = '0'] = MISSING.exec((await core.store.get(record.key))?.lastError ?? '') ?? []
  const count = Number(before) + 1
  if (count >= MAX_MISSING) return await lose(core, record, 'not_found')
  await postpone(core, record, `not found ×${count}`)
  return undefined
}

const WHY_LOST = {
  not_found: 'the service says that there is no such job',
  gave_up: 'it has not ended in the time that `giveUpAfterMs` allows',
} as const

async function lose(core: InboxCore, record: DueRecord, reason: LostJob['reason']): Promise<PollOutcome> {
  const { store, options, hooks, followers } = core
  const next = { kind: 'dead', keepMs: options.keepDeadMs } as const
  if (!(await store.postpone(record.key, record.polls, next, WHY_LOST[reason]))) return undefined
  const jobId = jobIdOfKey(record.key)
  hooks.metric('dead', jobId)
  hooks.tell('onLost', { jobId, reason, context: readStoredContext(record.context)?.context })
  followers.lost(jobId, new JobLostError({ message: `The job ${jobId} was given up: ${WHY_LOST[reason]}.`, jobId }))
  return { kind: 'lost' }
}

/** A delivery that came meanwhile has the record: then there is nothing to do. */
async function deliver(core: InboxCore, key: string, event: WebhookEvent): Promise<PollOutcome> {
  const delivery: StoredDelivery = { source: 'poll', token: 'none', event }
  const { claimed } = await claimRecord(core, key, { fingerprint: fingerprintOf(event), delivery })
  if (claimed === undefined) return undefined
  if (readStoredDelivery(claimed.payload)?.source === 'poll') {
    const jobId = event.job_id
    core.hooks.metric('reconciled', jobId)
    core.hooks.tell('onWebhookMissed', { jobId, event, context: claimed.context?.context })
  }
  return { kind: 'reconciled', work: startWork(core, claimed) }
}
