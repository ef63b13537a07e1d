import { randomUUID } from 'node:crypto'
import type { ClaimRequest, InboxStore, Lease } from 'modelrun/webhooks'
import { expect } from 'vitest'

export function claimRequest(): ClaimRequest {
  return { owner: randomUUID(), leaseMs: 60_000, fingerprint: 'x', payload: { url: 'it\'s "quoted" \\ üñï 🦊 \0' } }
}

/** The lease of a record that must be free. */
export async function leaseOf(store: InboxStore, key: string): Promise<Lease> {
  const result = await store.claim(key, claimRequest())
  if (result.kind !== 'acquired') throw new Error(`The record ${key} is ${result.kind}.`)
  return result.lease
}

/** One call of each method with each kind of parameter, to see that a client takes them all. */
export async function walkThrough(store: InboxStore): Promise<void> {
  await store.migrate()
  await store.expect('expected', { pollInMs: 0.5 })
  await store.expect('walk', { pollInMs: 0, ref: 'ref-1', context: { tenant: 7 } })
  expect(await store.bind('ref-1', 'walk', 60_000)).toBe('walk')
  expect(await store.postpone('walk', 0, { kind: 'expect', pollInMs: 0 }, "it's not ready")).toBe(true)
  const polls = async () => (await store.due(9, 'poll')).map((due) => `${due.key}: ${due.polls}`).toSorted()
  await expect.poll(polls).toEqual(['expected: 0', 'walk: 1'])
  const first = await leaseOf(store, 'walk')
  expect(await store.extend(first, 60_000)).toBe(true)
  expect(await store.claim('walk', claimRequest())).toMatchObject({ kind: 'busy', samePayload: true })
  expect(await store.release(first, { kind: 'retry', inMs: 0, isFree: true }, 'again')).toBe('ok')
  const second = await leaseOf(store, 'walk')
  expect(second).toMatchObject({ fence: 2, attempt: 1 })
  expect(await store.release(second, { kind: 'dead', keepMs: 60_000 }, 'gave up')).toBe('ok')
  const dead = { key: 'walk', ref: 'ref-1', context: { tenant: 7 }, payload: claimRequest().payload }
  expect(await store.list('dead', { limit: 9 })).toMatchObject([{ ...dead, lastError: 'gave up' }])
  expect(await store.replay('walk')).toBe(true)
  const third = await leaseOf(store, 'walk')
  expect(await store.complete(third, { keepMs: 60_000 })).toBe('ok')
  expect(await store.claim('walk', { ...claimRequest(), payload: undefined })).toMatchObject({ kind: 'done' })
  expect(await store.extend(first, 60_000)).toBe(false)
}
