import type { DueRecord, InboxRecord, InboxStore, NextStep } from '../store/inbox-store.ts'
import { afterClaim, type DishonestStores } from './dishonest-stores.ts'
import { storedRequest } from './store-check.ts'

/** Changes what becomes of a record. */
function afterStep(honest: InboxStore, change: (next: NextStep) => NextStep): Partial<InboxStore> {
  return {
    release: (lease, next, ...error) => honest.release(lease, change(next), ...error),
    postpone: (key, polls, ...[next, ...error]) => honest.postpone(key, polls, change(next), ...error),
  }
}

function afterGet(honest: InboxStore, change: (record: InboxRecord) => InboxRecord | undefined): Partial<InboxStore> {
  const get: InboxStore['get'] = async (key) => {
    const record = await honest.get(key)
    return record && change(record)
  }
  return { get }
}

function afterDue(honest: InboxStore, change: (due: DueRecord[]) => DueRecord[]): Partial<InboxStore> {
  return { due: async (limit, kind) => change(await honest.due(limit, kind)) }
}

/** Lies of next steps, and of what is due. */
export const stepLies: DishonestStores = {
  'retries come at once': (honest) =>
    afterStep(honest, (next) => (next.kind === 'retry' ? { ...next, inMs: 0 } : next)),
  'retries never come': (honest) =>
    afterStep(honest, (next) => (next.kind === 'retry' ? { ...next, inMs: 1e9 } : next)),
  'no retry is free': (honest) => afterStep(honest, (next) => ('isFree' in next ? { ...next, isFree: false } : next)),
  'every retry is free': (honest) =>
    afterStep(honest, (next) => (next.kind === 'retry' ? { ...next, isFree: true } : next)),
  'to expect is to try again': (honest) =>
    afterStep(honest, (next) => (next.kind === 'expect' ? { kind: 'retry', inMs: next.pollInMs } : next)),
  'to forget is to keep': (honest) =>
    afterStep(honest, (next) => (next.kind === 'forget' ? { kind: 'dead', keepMs: 60_000 } : next)),
  'dead records are forgotten': (honest) =>
    afterStep(honest, (next) => (next.kind === 'dead' ? { kind: 'forget' } : next)),
  'errors are not kept': (honest) => afterGet(honest, (record) => ({ ...record, lastError: undefined })),
  'an error is cleared by a step without one': (honest) => ({
    release: (lease, next, error = '') => honest.release(lease, next, error),
  }),
  'steps without an error are refused': (honest) => ({
    postpone: async (key, polls, ...[next, error]) =>
      error !== undefined && (await honest.postpone(key, polls, next, error)),
  }),
  'postpone does not look at the polls': (honest) => ({
    postpone: async (key, _, ...step) => await honest.postpone(key, (await honest.get(key))?.polls ?? 0, ...step),
  }),
  'postpone is always true': (honest) => ({
    postpone: async (...step) => {
      await honest.postpone(...step)
      return true
    },
  }),
  'replay keeps the attempts': (honest) => {
    let replayed = 0
    return {
      replay: async (key) => {
        replayed += 1
        return await honest.replay(key)
      },
      get: async (key) => {
        const record = await honest.get(key)
        return record && { ...record, attempt: record.attempt + replayed, polls: record.polls + replayed }
      },
    }
  },
  'replay is always true': (honest) => ({
    replay: async (key) => {
      await honest.replay(key)
      return true
    },
  }),
  'replay does nothing': (honest) => ({ replay: async (key) => (await honest.get(key))?.state === 'dead' }),
  'nothing is due': (honest) => afterDue(honest, () => []),
  'everything is due': (honest) => ({
    due: async (limit, kind) => {
      const states = kind === 'poll' ? (['expected'] as const) : (['leased', 'retry'] as const)
      const records = await Promise.all(states.map((state) => honest.list(state, { limit })))
      return records.flat().map((record) => ({ ...record, reason: 'retry' }))
    },
  }),
  'due tells work and polls together': (honest) => ({
    due: async (limit) => [...(await honest.due(limit, 'work')), ...(await honest.due(limit, 'poll'))].slice(0, limit),
  }),
  'due tells no reason but one': (honest) =>
    afterDue(honest, (due) => due.map((record) => ({ ...record, reason: 'retry' }))),
  'due has no limit': (honest) => ({ due: (_, kind) => honest.due(1_000, kind) }),
  'due has no order': (honest) => afterDue(honest, (due) => due.toSorted((a, b) => (a.key < b.key ? -1 : 1))),
  'due tells a record once': (honest) => {
    const told = new Set<string>()
    return afterDue(honest, (due) =>
      due.filter(({ key }) => {
        const isNew = !told.has(key)
        told.add(key)
        return isNew
      }),
    )
  },
  'due does not know the age': (honest) =>
    afterDue(honest, (due) => due.map((record) => ({ ...record, ageMs: Date.now() }))),
  'due has no context': (honest) => afterDue(honest, (due) => due.map((record) => ({ ...record, context: undefined }))),
  'unfinished records expire': (honest) => ({
    due: async (limit, kind) => {
      const due = await honest.due(limit, kind)
      for (const { key } of due) {
        const result = await honest.claim(key, storedRequest())
        if (result.kind === 'acquired') await honest.release(result.lease, { kind: 'forget' })
      }
      return due
    },
  }),
  'leases that ran out expire with their payload': (honest) => ({
    claim: afterClaim(honest, (result) => (result.isReclaimed ? { ...result, payload: undefined } : result)),
  }),
  'finished records are never forgotten': (honest) => ({
    ...afterStep(honest, (next) => (next.kind === 'dead' ? { ...next, keepMs: 1e9 } : next)),
    complete: (lease) => honest.complete(lease, { keepMs: 1e9 }),
  }),
  'finished records are forgotten at once': (honest) => ({
    ...afterStep(honest, (next) => (next.kind === 'dead' ? { ...next, keepMs: 0 } : next)),
    complete: (lease) => honest.complete(lease, { keepMs: 0 }),
  }),
  'what was dead is forgotten after its replay': (honest) => {
    const replayed = new Set<string>()
    return {
      replay: async (key) => {
        replayed.add(key)
        return await honest.replay(key)
      },
      ...afterGet(honest, (record) => (replayed.has(record.key) && record.dueInMs < 0 ? undefined : record)),
    }
  },
}
