import type { InboxStore } from '../store/inbox-store.ts'
import type { InboxStoreCheck } from './store-check.ts'
import { claimChecks } from './store-checks-claim.ts'
import { contentChecks } from './store-checks-content.ts'
import { dueChecks } from './store-checks-due.ts'
import { expectChecks } from './store-checks-expect.ts'
import { leaseChecks } from './store-checks-lease.ts'
import { nextStepChecks } from './store-checks-next-step.ts'

/** Registers a test: the `test` of vitest, jest, node:test and others. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown

/** A store under test. `close` is called when its check is over. */
export type StoreUnderTest = InboxStore & { close?: (() => unknown) | undefined }

/** The whole contract of `InboxStore` as checks, for test runners of any kind. Each wants a fresh and empty store. */
export function inboxStoreChecks(): InboxStoreCheck[] {
  return [claimChecks, leaseChecks, nextStepChecks, dueChecks, expectChecks, contentChecks].flat()
}

/**
 * Registers one test for each check. They use real time, because it is the store's own clock that is checked; the longest
 * takes less than a second.
 *
 * @param make gives a store for one check: empty, and ready (`migrate()` is called again).
 * @param options.test the `test` of your runner. Default: the global one.
 *
 * @example
 * import { test } from 'vitest'
 * testInboxStore(() => createMyStore({ table: `inbox_${randomUUID()}` }), { test })
 */
export function testInboxStore(
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
  options: { test?: RegisterTest | undefined } = {},
): void {
  const test = options.test ?? globalTest()
  for (const { name, run } of inboxStoreChecks()) {
    test(name, async () => {
      const store = await make()
      try {
        await store.migrate()
        await run(store)
      } finally {
        await store.close?.()
      }
    })
  }
}

function globalTest(): RegisterTest {
  const test: unknown = Reflect.get(globalThis, 'test')
  if (typeof test === 'function') return (name, run) => test(name, run)
  throw new Error(
    'testInboxStore finds no global `test`. Give the one of your runner: testInboxStore(make, { test }), with for instance import { test } from "vitest".',
  )
}
