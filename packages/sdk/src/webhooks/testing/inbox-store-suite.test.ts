import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../store/memory-store.ts'
import { contentLies } from './dishonest-contents.ts'
import { stepLies } from './dishonest-records.ts'
import { claimLies, earlyLies, makeDishonest } from './dishonest-stores.ts'
import { inboxStoreChecks, testInboxStore } from './inbox-store-suite.ts'

const checks = inboxStoreChecks()

/** The checks that each dishonest store fails. All run at once: some wait in vain for seconds. */
const failures = Promise.all(
  Object.entries({ ...claimLies, ...stepLies, ...contentLies }).map(async ([name, lie]) => {
    const failed = await Promise.all(
      checks.map(({ name, run }) =>
        run(makeDishonest(lie)).then(
          () => [],
          (error: unknown) => [{ check: name, error }],
        ),
      ),
    )
    return { name, failed: failed.flat() }
  }),
)

describe('the checks of a store', () => {
  it('find every dishonest store', { timeout: 60_000 }, async () => {
    const found = await failures
    expect(found.length).toBeGreaterThan(80)
    expect(found.filter(({ failed }) => failed.length === 0).map(({ name }) => name)).toEqual([])
  })

  it('can each fail', { timeout: 60_000 }, async () => {
    const failed = new Set((await failures).flatMap((found) => found.failed.map(({ check }) => check)))
    expect(checks.map(({ name }) => name).filter((name) => !failed.has(name))).toEqual([])
  })

  // On a machine that is busy with something else, time passes that hides the lie.
  it.each(Object.entries(earlyLies))('find a store that is early by 50 ms: %s', { retry: 5 }, async (name, lie) => {
    await failures
    const check = checks.find((each) => each.name === name)
    await expect(check?.run(makeDishonest(lie))).rejects.toThrow('The store breaks its contract')
  })

  it('have a name of their own', () => {
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
  })

  it('say what is wrong, what was wanted and what was found', async () => {
    const [, check] = checks
    const store = { ...createMemoryStore(), claim: async () => ({ kind: 'done', samePayload: true }) as const }
    await expect(check?.run(store)).rejects.toThrow(
      'The store breaks its contract: of many claims at once, one acquires. Found: [{"kind":"done"',
    )
  })
})

describe('testInboxStore', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('registers a test for each check, which makes a store, prepares it and closes it', async () => {
    const tests = new Map<string, () => Promise<void>>()
    const calls: string[] = []
    const make = async () => {
      const store = createMemoryStore()
      calls.push('make')
      return { ...store, migrate: async () => void calls.push('migrate'), close: () => void calls.push('close') }
    }
    testInboxStore(make, { test: (name, run) => tests.set(name, run) })
    expect([...tests.keys()]).toEqual(checks.map(({ name }) => name))
    await tests.get('the store says what it guarantees')?.()
    expect(calls).toEqual(['make', 'migrate', 'close'])
  })

  it('closes the store of a check that fails', async () => {
    let closed = 0
    const close = () => {
      closed += 1
    }
    const runs: (() => Promise<void>)[] = []
    testInboxStore(() => ({ ...createMemoryStore(), guarantees: JSON.parse('{}'), close }), {
      test: (name, run) => name === 'the store says what it guarantees' && runs.push(run),
    })
    await expect(runs[0]?.()).rejects.toThrow('`guarantees.durable` is true or false')
    expect(closed).toBe(1)
  })

  it('takes the global test when none is given', () => {
    const test = vi.fn()
    vi.stubGlobal('test', test)
    testInboxStore(() => createMemoryStore())
    expect(test).toHaveBeenCalledTimes(checks.length)
  })

  it('says how to give a test when there is no global one', () => {
    vi.stubGlobal('test', undefined)
    expect(() => testInboxStore(() => createMemoryStore())).toThrow('testInboxStore(make, { test })')
  })
})
