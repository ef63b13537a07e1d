import { randomId } from '../../signing/random-id.ts'
import type { ClaimRequest, ClaimResult, InboxStore } from '../store/inbox-store.ts'

/** One sentence of the contract of `InboxStore`, and how to see that a store keeps it. */
export interface InboxStoreCheck {
  /** The sentence. */
  name: string
  /** Rejects when the store does not keep it. The store must be empty. */
  run(store: InboxStore): Promise<void>
}

/** How long a check waits for something that must come. */
const PATIENCE_MS = 5_000

/** How much earlier than asked for a store may act: clocks are cut to milliseconds. */
export const CLOCK_SLACK_MS = 5

export function must(condition: unknown, sentence: string, found?: unknown): asserts condition {
  if (!condition) throw new Error(`The store breaks its contract: ${sentence} Found: ${show(found)}.`)
}

/** JSON is compared by its content; a member that is undefined is as good as missing. */
export function mustEqual(found: unknown, wanted: unknown, sentence: string): void {
  if (isEqual(found, wanted)) return
  throw new Error(`The store breaks its contract: ${sentence} Wanted: ${show(wanted)}. Found: ${show(found)}.`)
}

/** A claim with an owner of its own, for a minute. */
export function claimRequest(request: Partial<ClaimRequest> = {}): ClaimRequest {
  return { owner: randomId(), leaseMs: 60_000, fingerprint: 'fingerprint', payload: { n: 1 }, ...request }
}

/** A claim for what is stored. */
export function storedRequest(request: Partial<ClaimRequest> = {}): ClaimRequest {
  return claimRequest({ payload: undefined, fingerprint: '', ...request })
}

export type Acquired = Extract<ClaimResult, { kind: 'acquired' }>

/** Claims a record that must be free. */
export async function take(store: InboxStore, key: string, request: Partial<ClaimRequest> = {}): Promise<Acquired> {
  const result = await store.claim(key, claimRequest(request))
  must(result.kind === 'acquired', `a claim of the free record ${show(key)} acquires it.`, result)
  return result
}

/** Makes a record of state `dead`. */
export async function bury(store: InboxStore, key: string, hasPayload: boolean): Promise<void> {
  if (!hasPayload) await store.expect(key, { pollInMs: 0 })
  const { lease } = await take(store, key, hasPayload ? {} : storedRequest())
  await store.release(lease, { kind: 'dead', keepMs: 60_000 }, 'buried')
}

/** Looks until it sees something. */
export async function until<T>(sentence: string, look: () => Promise<T | undefined>): Promise<T> {
  const waitedMs = stopwatch()
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    must(waitedMs() < PATIENCE_MS, `${sentence} It has not happened within ${PATIENCE_MS} ms.`)
    await pause(5)
  }
}

/** Measures from before a step is asked for: what the store counts begins later, so that a slow machine does no harm. */
export function stopwatch(): () => number {
  const startedAt = performance.now()
  return () => performance.now() - startedAt
}

/** Real time: it is the store's own clock that is checked. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Does something many times at once. */
export function atOnce<T>(work: (index: number) => Promise<T>, times = 50): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)))
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  const keys = definedKeys(a)
  const isSameShape = Array.isArray(a) === Array.isArray(b) && keys.length === definedKeys(b).length
  return isSameShape && keys.every((key) => Object.hasOwn(b, key) && isEqual(Reflect.get(a, key), Reflect.get(b, key)))
}

function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
