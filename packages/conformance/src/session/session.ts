import type { ConformanceClock } from '../clock.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Call } from '../http/caller.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ResolvedOptions, SpecialKey } from '../options.ts'
import type { ModelTarget, RunKind, Targets } from '../plan/targets.ts'
import type { WebhookEndpoints } from '../webhooks/webhook-endpoints.ts'
import type { Ledger } from './ledger.ts'

/** A request as scenarios write it. */
export interface SessionCall {
  method?: 'GET' | 'POST' | 'DELETE' | undefined
  path: string
  /** Default: the key with all permissions. */
  key?: string | undefined
  /** The whole header instead of a key; `null` for none. */
  authorization?: string | null | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  text?: string | undefined
  contentType?: string | undefined
  /** More headers. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** A request with its response, in full. */
export interface Recorded {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** Whether the key with all permissions was sent. Other keys may belong to other accounts. */
  isOwn: boolean
  response: ApiResponse
}

/** A scenario, as far as a session performs it. */
interface Performable<Evidence> {
  perform(session: Session): Promise<Evidence>
}

/** The credits before something was done, and after. */
export interface Charge {
  before: number
  after: number
}

export interface SessionParts {
  options: ResolvedOptions
  send: (call: Call) => Promise<ApiResponse>
  download: (url: string) => Promise<ApiResponse>
  targets: Targets
  /** Every response 429, also of requests that were sent again. */
  limited: readonly ApiResponse[]
  ledger: Ledger
  webhookEndpoints: WebhookEndpoints | undefined
}

/** One run of the suite: services for scenarios, and the evidence of those that were performed. */
export class Session {
  readonly options: ResolvedOptions
  readonly clock: ConformanceClock
  readonly ledger: Ledger
  /** Every response 429 so far, also of requests that were sent again. */
  readonly limited: readonly ApiResponse[]
  readonly download: (url: string) => Promise<ApiResponse>
  readonly #parts: SessionParts
  readonly #evidence = new Map<Performable<unknown>, Promise<unknown>>()
  readonly #recorded: Recorded[] = []

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.options = parts.options
    this.clock = parts.options.clock
    this.ledger = parts.ledger
    this.limited = parts.limited
    this.download = parts.download
  }

  /** The evidence of a scenario. The first call performs it. */
  evidence<Evidence>(scenario: Performable<Evidence>): Promise<Evidence> {
    const known = this.#evidence.get(scenario)
    // Stored below for this scenario.
    if (known !== undefined) return known as Promise<Evidence>
    const performed = scenario.perform(this)
    this.#evidence.set(scenario, performed)
    return performed
  }

  /** Stores evidence that was collected elsewhere, so that the scenario is not performed again. */
  remember<Evidence>(scenario: Performable<Evidence>, evidence: Evidence): void {
    this.#evidence.set(scenario, Promise.resolve(evidence))
  }

  async call({
    method = 'GET',
    path,
    key,
    authorization,
    body,
    text,
    contentType,
    headers,
  }: SessionCall): Promise<ApiResponse> {
    // Promised to users: only GET requests unless they allow runs.
    if (method !== 'GET' && !this.options.allowRuns)
      throw new Error(`${method} ${path} is sent, but runs are not allowed.`)
    const header = authorization === undefined ? `Bearer ${key ?? this.options.apiKey}` : (authorization ?? undefined)
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await this.#parts.send({
      method,
      path,
      authorization: header,
      body: content,
      contentType,
      headers,
    })
    this.#recorded.push({ method, path, isOwn: header === `Bearer ${this.options.apiKey}`, response })
    return response
  }

  /** Every request that has a response so far, in order. */
  get recorded(): readonly Recorded[] {
    return this.#recorded
  }

  /** The first of these keys that was given. */
  key(names: readonly SpecialKey[]): string {
    const key = names.map((name) => this.options.keys[name]).find((one) => one !== undefined)
    if (key === undefined) throw new BlockedError(`no key was given: ${names.join(', ')}`)
    return key
  }

  target(kind: RunKind): ModelTarget {
    const { main, slow, failing } = this.#parts.targets
    const target = { main, slow, failing, longest: slow ?? main }[kind]
    if (target === undefined) throw new BlockedError(`no ${kind} model was chosen`)
    return target
  }

  get webhookEndpoints(): WebhookEndpoints {
    if (this.#parts.webhookEndpoints === undefined) throw new BlockedError('no webhook receiver was given')
    return this.#parts.webhookEndpoints
  }

  /** Does `work`, and reads the balance before and after where possible. */
  async measured<Value>(work: () => Promise<Value>): Promise<{ value: Value; charge: Charge | undefined }> {
    const before = await this.#credits()
    const value = await work()
    const after = await this.#credits()
    return { value, charge: before === undefined || after === undefined ? undefined : { before, after } }
  }

  /** Balance of the account; `undefined` when reading it fails, so that the results of paid runs are not lost. */
  async #credits(): Promise<number | undefined> {
    return this.options.readCredits?.().catch(() => undefined)
  }
}
