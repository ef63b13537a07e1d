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
export interface SessionCall extends Pick<Call, 'path' | 'headers'> {
  method?: Call['method'] | undefined
  /** Default: the key with all permissions. */
  key?: string | undefined
  /** The whole header instead of a key; `null` for none. */
  authorization?: string | null | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Whether the specification leaves the response open, beyond the form of an error. */
  isOpen?: boolean | undefined
  /** What is wrong with the run. Its response is open, and it must not succeed. */
  violation?: Omit<Violation, 'input'> | undefined
}

/** A request with its response, in full. */
export interface Recorded extends Pick<SessionCall, 'path' | 'body' | 'violation'> {
  method: Call['method']
  key: SentKey
  /** Whether the specification leaves the response open, beyond the form of an error. */
  isOpen: boolean
  response: ApiResponse
}

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

/** One run of the suite: what scenarios need, and everything that was sent and received. */
export class Session {
  readonly options: ResolvedOptions
  readonly clock: ConformanceClock
  readonly balance: ReturnType<typeof createBalance>
  readonly files: ProducedFiles
  readonly parts: SessionParts
  /** Every request that has a response so far, in order. */
  readonly recorded: Recorded[] = []
  /** All models of the list. */
  readonly models: Record<string, unknown>[] = []
  /** The models that the suite runs. */
  targets: Targets = {}
  /** Why scenarios broke off, with what proves it; by name where they build on something that is missing. */
  readonly troubles: Finding[] = []
  readonly blocked = new Map<string, string>()
  #modes = 0
  #priceOfSent = 0

  constructor(parts: SessionParts) {
    const { options } = parts
    this.parts = parts
    this.options = options
    this.clock = options.clock
    this.balance = createBalance(options.readCredits, options.clock)
    this.files = new ProducedFiles(parts.download, options.clock)
  }

  /** Performs a scenario. What it cannot do is not the end of the others. */
  async perform({ name, perform }: { name: string; perform(session: Session): Promise<unknown> }): Promise<void> {
    try {
      await perform(this)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (error instanceof BlockedError) this.blocked.set(name, reason)
      else this.troubles.push(fail(reason, error instanceof NoResponseError ? error : []))
    }
    await this.mark()
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

  readonly call = async (call: SessionCall): Promise<ApiResponse> => {
    const { method = 'GET', path, body, violation, headers, isOpen = violation !== undefined } = call
    // Promised to users: only GET requests unless they allow runs.
    if (method !== 'GET' && !this.options.allowRuns)
      throw new Error(`${method} ${path} is sent, but runs are not allowed.`)
    const { apiKey } = this.options
    const header = call.authorization === undefined ? `Bearer ${call.key ?? apiKey}` : (call.authorization ?? undefined)
    const content = body === undefined ? undefined : JSON.stringify(body)
    const response = await this.parts.send({ method, path, authorization: header, body: content, headers })
    const recorded = { method, path, key: sentKey(header, this.options), body, isOpen, violation, response }
    await this.files.read(recorded, this.recorded)
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
  modeOf(mode: (typeof MODES)[number] = inTurn(MODES, this.#modes++) ?? 'unsaid') {
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

/** Values that take turns; `undefined` where there are none. */
export function inTurn<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length]
}
