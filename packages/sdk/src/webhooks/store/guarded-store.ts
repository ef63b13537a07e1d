import type { Clock } from '../../clock.ts'
import { isConfigurationError } from '../../errors/guards.ts'
import { ConfigurationError } from '../../errors/local-errors.ts'
import { randomId } from '../../signing/random-id.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { InboxStore, Lease } from './inbox-store.ts'

/** Longest time that a store may take for one step: an inbox must not hang with it. */
const MAX_STEP_MS = 10_000

/** The steps of a store that the inbox takes itself. */
type Steps = Omit<InboxStore, 'guarantees' | 'migrate' | 'complete'>

/** A store that was found to work. Each step rejects when it takes longer than 10 s. */
export interface GuardedStore extends Steps {
  guarantees: InboxStore['guarantees']
  /** Without a time limit for a transaction of the caller's. */
  complete: InboxStore['complete']
  /** Why the store cannot be used, when the test found that. */
  readonly fault: ConfigurationError | undefined
}

export function createGuardedStore(store: InboxStore, clock: Clock): GuardedStore {
  let fault: ConfigurationError | undefined
  let test: Promise<void> | undefined

  /** Sets the store up and tests it, once. */
  async function check(): Promise<void> {
    test ??= testStore(store, (work) => inTime(clock, work)).catch((error: unknown) => {
      if (isConfigurationError(error)) {
        fault = error
        console.error(`modelrun: ${error.message}`)
      } else {
        // A store that is down was not tested: the next step does that.
        test = undefined
      }
      throw error
    })
    await test
  }

  async function take<T>(step: () => Promise<T>): Promise<T> {
    await check()
    return await inTime(clock, step())
  }

  return {
    guarantees: store.guarantees,
    get fault() {
      return fault
    },
    expect: (...step) => take(() => store.expect(...step)),
    bind: (...step) => take(() => store.bind(...step)),
    claim: (...step) => take(() => store.claim(...step)),
    extend: (...step) => take(() => store.extend(...step)),
    complete: (lease, options) =>
      options.tx === undefined ? take(() => store.complete(lease, options)) : store.complete(lease, options),
    release: (...step) => take(() => store.release(...step)),
    due: (...step) => take(() => store.due(...step)),
    postpone: (...step) => take(() => store.postpone(...step)),
    get: (...step) => take(() => store.get(...step)),
    list: (...step) => take(() => store.list(...step)),
    replay: (...step) => take(() => store.replay(...step)),
  }
}

function inTime<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const onLate = () => {
    throw new Error(`The store of the inbox did not answer within ${MAX_STEP_MS} ms.`)
  }
  return withTimeLimit(work, { clock, limitMs: MAX_STEP_MS, onLate })
}

/** An adapter that lets two workers have one record looks fine until the day that two do: this finds it at the start. */
async function testStore(store: InboxStore, limited: <T>(work: Promise<T>) => Promise<T>): Promise<void> {
  await limited(store.migrate())
  const key = `self-test:${randomId()}`
  const claim = () =>
    limited(store.claim(key, { owner: randomId(), leaseMs: 60_000, fingerprint: key, payload: { isTest: true } }))
  const first = await claim()
  const second = await claim()
  const lease: Lease | undefined = first.kind === 'acquired' ? first.lease : undefined
  if (lease !== undefined) await limited(store.release(lease, { kind: 'forget' }))
  if (first.kind === 'acquired' && second.kind === 'busy') return
  throw new ConfigurationError({
    message: `The store of the inbox cannot be used: two claims of one new key gave ${first.kind} and ${second.kind}, not acquired and busy. With such a store, deliveries would be lost or handled twice. Check its adapter with \`testInboxStore\` of modelrun/webhooks/testing.`,
  })
}
