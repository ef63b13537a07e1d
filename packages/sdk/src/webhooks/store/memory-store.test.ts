import { describe, expect, it, test } from 'vitest'
import { createManualClock } from '../../testing/manual-clock.ts'
import { testInboxStore } from '../testing/inbox-store-suite.ts'
import type { InboxStore } from './inbox-store.ts'
import { createMemoryStore } from './memory-store.ts'

describe('the contract', () => {
  testInboxStore(() => createMemoryStore(), { test })
})

describe('a full memory store', () => {
  it('refuses what is new, and says what to do', async () => {
    const store = createMemoryStore({ maxUnfinished: 2 })
    await store.expect('expected', { pollInMs: 0 })
    await claim(store, 'leased')
    const full = 'The memory store of the inbox is full: 2 jobs are unfinished.'
    await expect(claim(store, 'one more')).rejects.toThrow(full)
    await expect(store.expect('one more', { pollInMs: 0 })).rejects.toThrow(full)
    expect(await store.get('one more')).toBeUndefined()
  })

  it('goes on with the records that it has, and takes new ones when those are finished', async () => {
    const store = createMemoryStore({ maxUnfinished: 1 })
    const lease = await claim(store, 'first')
    expect(await store.release(lease, { kind: 'retry', inMs: 0 })).toBe('ok')
    expect(await store.complete(await claim(store, 'first'), { keepMs: 60_000 })).toBe('ok')
    await expect(claim(store, 'second')).resolves.toMatchObject({ fence: 1 })
  })

  it('refuses to bring a dead record back, which stays dead', async () => {
    const store = createMemoryStore({ maxUnfinished: 1 })
    await store.release(await claim(store, 'dead'), { kind: 'dead', keepMs: 60_000 })
    await claim(store, 'other')
    await expect(store.replay('dead')).rejects.toThrow('is full')
    expect(await store.get('dead')).toMatchObject({ state: 'dead' })
  })
})

describe('finished records in memory', () => {
  it('are forgotten when there are too many: the one that finished first goes first, unfinished ones never', async () => {
    const store = createMemoryStore({ maxFinished: 2 })
    await store.expect('expected', { pollInMs: 0 })
    const leases = [await claim(store, 'a'), await claim(store, 'b'), await claim(store, 'c')]
    for (const lease of leases.toReversed()) await store.complete(lease, { keepMs: 60_000 })
    const left = await Promise.all(['a', 'b', 'c', 'expected'].map(async (key) => (await store.get(key))?.state))
    expect(left).toEqual(['done', 'done', undefined, 'expected'])
  })
})

describe('references in memory', () => {
  it('are forgotten when there are more than records', async () => {
    const store = createMemoryStore({ maxFinished: 1, maxUnfinished: 1 })
    for (const ref of ['one', 'two', 'three']) await store.bind(ref, 'first', 60_000)
    const keys = await Promise.all(['three', 'two', 'one'].map((ref) => store.bind(ref, 'second', 60_000)))
    expect(keys).toEqual(['first', 'first', 'second'])
  })
})

describe('a memory store with a clock', () => {
  it('takes its time from there', async () => {
    const clock = createManualClock()
    const store = createMemoryStore({ clock })
    await claim(store, 'job')
    expect(await store.due(1, 'work')).toEqual([])
    await clock.advance(60_000)
    expect(await store.due(1, 'work')).toMatchObject([{ key: 'job', reason: 'lease_expired', ageMs: 60_000 }])
  })

  it('refuses a duration that is no number', async () => {
    const store = createMemoryStore()
    await expect(store.expect('job', { pollInMs: Number.NaN })).rejects.toThrow('a number of milliseconds, not NaN')
    await store.expect('job', { pollInMs: Number.POSITIVE_INFINITY })
    expect((await store.get('job'))?.dueInMs).toBeLessThan(Number.POSITIVE_INFINITY)
  })
})

async function claim(store: InboxStore, key: string) {
  const result = await store.claim(key, { owner: key, leaseMs: 60_000, fingerprint: '', payload: {} })
  if (result.kind !== 'acquired') throw new Error(`The record is ${result.kind}.`)
  return result.lease
}
