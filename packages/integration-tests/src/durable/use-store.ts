import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach } from 'vitest'
import type { EngineStore, OpenStore } from './engine-stores.ts'
import { type InboxHarness, openInboxHarness } from './inbox-harness.ts'

/** Opens a store before the tests of this `describe`, and closes it after them. */
export function useStore({ isMissing, open }: EngineStore): () => OpenStore {
  let opened: OpenStore | undefined
  beforeAll(async () => {
    if (isMissing) return
    opened = await open()
    return opened.close
  })
  return () => present(opened)
}

/** Also opens a harness for each test, whose inboxes have a name of their own. */
export function useInboxHarness(engineStore: EngineStore): () => InboxHarness {
  const store = useStore(engineStore)
  let used: InboxHarness | undefined
  beforeEach(async () => {
    if (engineStore.isMissing) return
    used = await openInboxHarness(store().engineAt, randomUUID())
  })
  afterEach(() => used?.close())
  return () => present(used)
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Used outside of a test, or without the programs of the store.')
  return value
}
