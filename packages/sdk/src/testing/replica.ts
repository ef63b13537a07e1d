import type { Clock } from '../clock.ts'
import type { InboxStore } from '../webhooks/store/inbox-store.ts'

type Method = Exclude<keyof InboxStore, 'guarantees'>

/** One process of several that share a store and a clock: it can die, and it can stand still for a while. */
export interface Replica {
  clock: Clock
  store: InboxStore
  readonly isAlive: boolean
  /** Nothing of it happens any more: no timer fires, no answer of the store comes. */
  die(): void
  /** Makes it die at a step of its store: before the step has happened, or after it, before the answer. */
  dieAt(method: Method, moment: 'before' | 'after'): void
  /** Its steps fail before they happen, while it cannot reach the store. */
  setConnected(isConnected: boolean): void
  /** Stands still: timers and answers that come meanwhile wait. */
  pause(): void
  /** Goes on: what has waited happens in the order in which it was due. */
  resume(): void
  /** Resolves when it runs: later when it stands still, never when it is dead. */
  untilRunning(): Promise<void>
}

export function createReplica(clock: Clock, store: InboxStore): Replica {
  let isAlive = true
  let isPaused = false
  let isConnected = true
  let waiting: (() => void)[] = []
  const ends = new Map<Method, 'before' | 'after'>()
  const never = new Promise<never>(() => {})

  function whenRunning(callback: () => void): void {
    if (isPaused) waiting.push(() => whenRunning(callback))
    else if (isAlive) callback()
  }

  async function take<T>(method: Method, step: () => Promise<T>): Promise<T> {
    const end = ends.get(method)
    if (end === 'before') isAlive = false
    if (!isAlive) return await never
    const taken = isConnected ? step() : Promise.reject<T>(new Error('The store cannot be reached.'))
    const settled = await taken.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if (end === 'after') isAlive = false
    await new Promise<void>((resolve) => whenRunning(resolve))
    if ('error' in settled) throw settled.error
    return settled.value
  }

  return {
    get isAlive() {
      return isAlive
    },
    die: () => {
      isAlive = false
    },
    dieAt: (method, moment) => {
      ends.set(method, moment)
    },
    setConnected: (value) => {
      isConnected = value
    },
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      const due = waiting
      waiting = []
      for (const callback of due) callback()
    },
    untilRunning: () => new Promise((resolve) => whenRunning(resolve)),
    clock: {
      now: () => clock.now(),
      setTimeout: (callback, delayMs) => clock.setTimeout(() => whenRunning(callback), delayMs),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    },
    store: {
      guarantees: store.guarantees,
      migrate: () => take('migrate', () => store.migrate()),
      expect: (...step) => take('expect', () => store.expect(...step)),
      bind: (...step) => take('bind', () => store.bind(...step)),
      claim: (...step) => take('claim', () => store.claim(...step)),
      extend: (...step) => take('extend', () => store.extend(...step)),
      complete: (...step) => take('complete', () => store.complete(...step)),
      release: (...step) => take('release', () => store.release(...step)),
      due: (...step) => take('due', () => store.due(...step)),
      postpone: (...step) => take('postpone', () => store.postpone(...step)),
      get: (...step) => take('get', () => store.get(...step)),
      list: (...step) => take('list', () => store.list(...step)),
      replay: (...step) => take('replay', () => store.replay(...step)),
    },
  }
}
