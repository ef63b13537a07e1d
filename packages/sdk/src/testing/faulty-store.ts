import type { InboxStore } from '../webhooks/store/inbox-store.ts'

type Method = Exclude<keyof InboxStore, 'guarantees'>

/**
 * How a call fails. `before`: nothing happens. `after`: it happens, and the answer is lost. `hang`: nothing happens, and
 * there is no answer. `late`: it happens now, and the answer comes when the test calls `answerLate`.
 */
type FaultKind = 'before' | 'after' | 'hang' | 'late'

/** A store whose calls fail when a test says so. */
export interface FaultyStore extends InboxStore {
  /** How many calls of each method there were. */
  readonly calls: Partial<Record<Method, number>>
  /** Makes the next calls of a method fail. */
  fail(method: Method, kind: FaultKind, times?: number): void
  /** Makes every call fail until `repair`. */
  breakDown(kind: FaultKind): void
  repair(): void
  /** Gives the late answers. */
  answerLate(): void
}

export function createFaultyStore(store: InboxStore): FaultyStore {
  const calls: Partial<Record<Method, number>> = {}
  const faults = new Map<Method, FaultKind[]>()
  const late: (() => void)[] = []
  let down: FaultKind | undefined

  async function call<T>(method: Method, work: () => Promise<T>): Promise<T> {
    calls[method] = (calls[method] ?? 0) + 1
    const fault = down ?? faults.get(method)?.shift()
    if (fault === 'before') throw new Error(`${method} failed before it happened`)
    if (fault === 'hang') return await new Promise(() => {})
    const result = await work()
    if (fault === 'after') throw new Error(`the answer of ${method} was lost`)
    if (fault === 'late') await new Promise<void>((resolve) => late.push(resolve))
    return result
  }

  return {
    guarantees: store.guarantees,
    calls,
    fail: (method, kind, times = 1) => {
      faults.set(method, [...(faults.get(method) ?? []), ...Array.from({ length: times }, () => kind)])
    },
    breakDown: (kind) => {
      down = kind
    },
    repair: () => {
      down = undefined
      faults.clear()
    },
    answerLate: () => {
      for (const answer of late.splice(0)) answer()
    },
    migrate: () => call('migrate', () => store.migrate()),
    expect: (...step) => call('expect', () => store.expect(...step)),
    bind: (...step) => call('bind', () => store.bind(...step)),
    claim: (...step) => call('claim', () => store.claim(...step)),
    extend: (...step) => call('extend', () => store.extend(...step)),
    complete: (...step) => call('complete', () => store.complete(...step)),
    release: (...step) => call('release', () => store.release(...step)),
    due: (...step) => call('due', () => store.due(...step)),
    postpone: (...step) => call('postpone', () => store.postpone(...step)),
    get: (...step) => call('get', () => store.get(...step)),
    list: (...step) => call('list', () => store.list(...step)),
    replay: (...step) => call('replay', () => store.replay(...step)),
  }
}
