import type { ConformanceClock } from '../clock.ts'
import { BlockedError, type Finding, fail } from '../finding.ts'
import { type ApiResponse, type Call, NoResponseError } from '../http/caller.ts'
import type { Recovered } from '../http/sent-again.ts'
import type { ResolvedOptions } from '../options.ts'
import type { ModelTarget, Violation } from '../plan/inputs.ts'
import type { RunKind, Targets } from '../plan/targets.ts'
import type { WebhookEndpoint, WebhookEndpoints } from '../webhooks/webhook-endpoints.ts'
import { createBalance } from './balance.ts'
import { ProducedFiles } from './files.ts'
import { type SentKey, sentKey } from './keys.ts'

/** A request as scenarios write it. */
export interface SessionCall extends Pick<Call, 'path' | 'contentType' | 'headers'> {
  method?: Call['method'] | undefined
  /** Default: the key with all permissions. */
  key?: string | undefined
  /** The whole header instead of a key; `null` for none. */
  authorization?: string | null | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  text?: string | undefined
  /** Whether the specification leaves the response open, beyond the form of an error. */
  isOpen?: boolean | undefined
  /** What is wrong with the run. Its response is open, and it must not succeed. */
  violation?: Omit<Violation, 'input'> | undefined
}

/** A request with its response, in full. `body` is as it was sent, before it became text. */
export interface Recorded extends Pick<SessionCall, 'path' | 'body' | 'violation'> {
  method: Call['method']
  key: SentKey
  /** Whether the specification leaves the response open, beyond the form of an error. */
  isOpen: boolean
  response: ApiResponse
}

/** A scenario, as far as a session performs it. */
type Performable<Evidence> = { perform(session: Session): Promise<Evidence> }

export interface SessionParts {
  options: ResolvedOptions
  send: (call: Call) => Promise<ApiResponse>
  download: (url: string) => Promise<ApiResponse>
  /** Every response 429, also of requests that were sent again. */
  limited: readonly ApiResponse[]
  /** Reads that failed, and were returned when they were sent again. */
  recovered: readonly Recovered[]
  webhookEndpoints: WebhookEndpoints | undefined
  /** What the runs so far may cost: of those that are over, and of those that may still be charged. */
  owed: (session: Session) => { ended: number; open: number }
  /** What the runs after an exchange cost; `undefined` where that is open, `running` while one continues. */
  priceSince: (session: Session, after: number) => number | undefined | 'failed' | 'running'
}

/** The ways to ask for a run. */
export const MODES = ['unsaid+webhook', 'sync', 'async+webhook', 'unsaid', 'sync+webhook', 'async'] as const
export type Mode = (typeof MODES)[number]

/** One run of the suite: services for scenarios, and the evidence of those that were performed. */
export class Session {
  readonly options: ResolvedOptions
  readonly clock: ConformanceClock
  readonly balance: ReturnType<typeof createBalance>
  readonly files: ProducedFiles
  readonly parts: SessionParts
  readonly #evidence = new Map<Performable<unknown>, Promise<unknown>>()
  /** Every request that has a response so far, in order. */
  readonly recorded: Recorded[] = []
  /** The models that the suite runs. */
  targets: Targets = {}
  #modes: number
  #priceOfSent = 0
  /** Scenarios that broke off, and why, with what proves it. */
  readonly troubles: Finding[] = []

  constructor(parts: SessionParts) {
    const { options } = parts
    this.parts = parts
    this.options = options
    this.#modes = Math.abs(options.seed)
    this.clock = options.clock
    this.balance = createBalance(options.readCredits, options.clock)
    this.files = new ProducedFiles(parts.download, options)
  }

  /** The evidence of a scenario. The first call performs it. */
  evidence<Evidence>(scenario: Performable<Evidence>): Promise<Evidence> {
    const known = this.#evidence.get(scenario)
    // Stored below for this scenario.
    if (known !== undefined) return known as Promise<Evidence>
    const performed = this.#perform(scenario)
    this.#evidence.set(scenario, performed)
    return performed
  }

  async #perform<Evidence>(scenario: Performable<Evidence>): Promise<Evidence> {
    try {
      return await scenario.perform(this)
    } finally {
      await this.mark()
    }
  }

  /** Reads the balance, if something was run since that was done, and nothing is running. */
  async mark(): Promise<void> {
    const { after } = this.balance.marks.at(-1) ?? {}
    const last = this.recorded.at(-1)?.response.exchange.id
    const isNew = ({ method, response }: Recorded) => method !== 'GET' && response.exchange.id > Number(after)
    if (after === undefined || last === undefined || !this.recorded.some(isNew)) return
    const price = this.parts.priceSince(this, after)
    if (price !== 'running') await this.balance.mark(last, price)
  }

  /** Keeps why a scenario broke off, unless what it builds on is missing: that is judged where it belongs. */
  addTrouble(error: unknown): void {
    if (error instanceof BlockedError) return
    const proof = error instanceof NoResponseError ? error : []
    this.troubles.push(fail(error instanceof Error ? error.message : String(error), proof))
  }

  async call({ method = 'GET', key, authorization, violation, ...rest }: SessionCall): Promise<ApiResponse> {
    const { path, body, text, contentType, headers, isOpen = violation !== undefined } = rest
    // Promised to users: only GET requests unless they allow runs.
    if (method !== 'GET' && !this.options.allowRuns)
      throw new Error(`${method} ${path} is sent, but runs are not allowed.`)
    const header = authorization === undefined ? `Bearer ${key ?? this.options.apiKey}` : (authorization ?? undefined)
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const call = { method, path, authorization: header, body: content, contentType, headers }
    const response = await this.parts.send(call)
    const recorded = { method, path, key: sentKey(header, this.options), body, isOpen, violation, response }
    await this.files.read(recorded, this.recorded)
    await this.files.readDelivered(this.endpoints.flatMap(({ deliveries }) => deliveries))
    this.recorded.push(recorded)
    return response
  }

  /**
   * Keeps what runs are charged below the limit, whatever the plan said, also where a service charges what is free.
   *
   * @throws BlockedError when the limit could be passed; the run must not be sent then
   */
  async spend(credits: number): Promise<void> {
    const { maxCredits } = this.options
    if (this.#priceOfSent + credits > maxCredits) {
      const { ended, open } = this.parts.owed(this)
      if (Math.max(ended, (await this.balance.charged()) ?? 0) + open + credits > maxCredits)
        throw new BlockedError(`another run for ${credits} credits could pass the limit of ${maxCredits}`)
    }
    this.#priceOfSent += credits
  }

  target(kind: RunKind): ModelTarget {
    const { main, slow, failing } = this.targets
    const target = { main, slow, failing, longest: slow ?? main }[kind]
    if (target === undefined) throw new BlockedError(`no ${kind} model was chosen`)
    return target
  }

  /** Members of the body for a way to ask for a run. Default: all of them in turn. */
  modeOf(mode: Mode = MODES[this.#modes++ % MODES.length] ?? 'unsaid') {
    const url = mode.endsWith('+webhook') ? this.parts.webhookEndpoints?.open('accept').url : undefined
    return { sync: mode.startsWith('unsaid') ? undefined : mode.startsWith('sync'), webhook_url: url }
  }

  /** Every endpoint of a webhook that was opened so far. */
  get endpoints(): readonly WebhookEndpoint[] {
    return this.parts.webhookEndpoints?.opened ?? []
  }

  get webhookEndpoints(): WebhookEndpoints {
    if (this.parts.webhookEndpoints === undefined) throw new BlockedError('no webhook receiver was given')
    return this.parts.webhookEndpoints
  }
}
