import type { ServerClock } from './clock/clock.ts'
import type { Account } from './domain/account.ts'
import type { ScriptedOutcome } from './domain/scripted-outcome.ts'
import type { Answer } from './faults/fault.ts'
import { controlFaults, type FaultControl } from './faults/fault-control.ts'
import { createApp } from './http/app.ts'
import { createFetch } from './http/fetch.ts'
import { createHandle, type RequestContext } from './http/handle.ts'
import { type ReferenceServerOptions, readBaseUrl, resolveOptions } from './options.ts'
import type { ShapeCheck } from './parse-shape.ts'
import { controlJob, type JobControl } from './service/job-control.ts'
import { Service } from './service/service.ts'
import { type MintedKey, type MintKeyOptions, mintedKey, mintKey, scriptRuns } from './service/tenants.ts'
import type { DeliveryRecord } from './webhooks/delivery-record.ts'

/** The whole service in memory, and the handles by which a test steers it. */
export interface ReferenceServer {
  /** A drop-in for the global `fetch` that reaches nothing but this server, whatever the origin. */
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Answers a request that came over a transport, or says what the transport does instead. Never throws, never rejects. */
  handle(request: Request, context: RequestContext): Promise<Answer>
  /** The address that files get; no slash at its end. */
  readonly baseUrl: string
  /** For a transport that listens at an address of its own. */
  setBaseUrl(url: string): void
  /** A first key with all permissions, `sk_test_…`; its account is the default wherever a `key` may be left out. */
  readonly apiKey: string
  readonly clock: ServerClock
  /** Options for a client, which then shares the server's time. */
  clientOptions(): { apiKey: string; baseUrl: string; fetch: typeof fetch; clock: ServerClock }
  /**
   * Makes an API key with an account of its own.
   *
   * @throws TypeError that says which option is wrong
   */
  mintKey(options?: MintKeyOptions): MintedKey
  /** From now on requests with this key get a 401 (section 5). */
  revokeKey(key: string): void
  /** Revokes a key and makes another that may do the same, for the same account (section 5). */
  rotateKey(key: string): MintedKey
  /** Credits of an account that have not been charged. */
  credits(key?: string): number
  /**
   * Says what the next runs of a model do, first in first out; later ones do what the catalog says.
   *
   * @throws TypeError for an unknown model or a wrong outcome
   */
  script(modelId: string, outcomes: readonly ScriptedOutcome[], key?: string): void
  /** A job of any account, to look at and to end. Throws an Error for an unknown id. */
  job(id: string): JobControl
  /** Forgets jobs, charges, scripts, faults and deliveries of one key's account, or of all. Keys and time stay as they are. */
  reset(key?: string): void
  /** Makes requests go wrong, one account's at a time. */
  readonly faults: FaultControl
  readonly webhooks: {
    /** Finished deliveries of an account, in the order in which they finished. */
    deliveries(key?: string): readonly DeliveryRecord[]
    /** The next finished delivery, of any account, that was not returned here yet. Rejects when the server is closed. */
    next(): Promise<DeliveryRecord>
  }
  /** What the header `x-reference-token` must be for control requests from other machines. Random, whatever the seed. */
  readonly controlToken: string
  /** Drops all timers and deliveries going on; requests get a 503 from now on. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates the whole service in memory. Nothing listens and nothing is patched: give `server.fetch` to a client, or the
 * server to a transport.
 *
 * @example
 * const server = createReferenceServer({ clock: 'auto' })
 * const response = await server.fetch(`${server.baseUrl}/v1/models`, {
 *   headers: { authorization: `Bearer ${server.apiKey}` },
 * })
 *
 * @throws TypeError that says which option is wrong and what is allowed
 */
export function createReferenceServer(options: ReferenceServerOptions = {}): ReferenceServer {
  const service = new Service(resolveOptions(options))
  const controlToken = randomToken()
  const handle = createHandle(service, createApp(service, controlToken))
  const serverFetch = createFetch(handle, () => service.baseUrl)
  const apiKey = service.firstKey.key
  const account = (key = apiKey): Account => service.keys.get(key).account
  const close = async () => service.close()
  return {
    fetch: serverFetch,
    handle,
    get baseUrl() {
      return service.baseUrl
    },
    setBaseUrl: (url) => {
      service.baseUrl = readBaseUrl(url)
      service.activity.expectRemoteClients()
    },
    apiKey,
    clock: service.clock.forClients,
    clientOptions: () => ({ apiKey, baseUrl: service.baseUrl, fetch: serverFetch, clock: service.clock.forClients }),
    mintKey: (keyOptions = {}) => mintedKey(demand('mintKey', mintKey(service, keyOptions))),
    revokeKey: (key) => {
      service.keys.get(key).isRevoked = true
    },
    rotateKey: (key) => mintedKey(service.keys.rotate(key)),
    credits: (key) => {
      service.jobs.settle()
      return account(key).credits.left
    },
    script: (modelId, outcomes, key) => {
      demand('script', scriptRuns(service, { account: account(key), modelId, outcomes }))
    },
    job: (id) => controlJob(service, id),
    reset: (key) => service.reset(key === undefined ? undefined : account(key)),
    faults: controlFaults(service, account),
    webhooks: {
      deliveries: (key) => [...service.deliveries.of(account(key))],
      next: () => service.deliveries.next(),
    },
    controlToken,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function demand<Value>(what: string, checked: ShapeCheck<Value>): Value {
  if (checked.ok) return checked.value
  throw new TypeError(`${what}: ${checked.message}`)
}

// Not from the seed: who knows the seed must not be able to steer a server on another machine.
function randomToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
