import { sleep } from '@modelrun/kit'
import type { ConformanceClock } from '../clock.ts'
import { BlockedError, type Finding, fail, skip } from '../finding.ts'
import { type ApiResponse, type Call, NoResponseError } from '../http/caller.ts'
import type { ResolvedOptions } from '../options.ts'
import type { ModelTarget, Violation } from '../plan/inputs.ts'
import type { RunKind, Targets } from '../plan/targets.ts'
import type { WebhookEndpoint, WebhookEndpoints } from '../webhooks/webhook-endpoints.ts'
import { type SentKey, sentKey } from './keys.ts'

export interface SessionCall extends Pick<Call, 'path' | 'headers'> {
  method?: Call['method'] | undefined
  /** Default: the key with all permissions. */
  key?: string | undefined
  /** The whole header instead of a key; `null` for none. */
  authorization?: string | null | undefined
  body?: unknown
  /** Whether the specification leaves the response open, beyond the form of an error. */
  isOpen?: boolean | undefined
  /** What is wrong with the run. Its response is open, and it must not succeed. */
  violation?: Omit<Violation, 'input'> | undefined
}

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
  webhookEndpoints: WebhookEndpoints | undefined
  /** What runs may cost: those that are over, those that may still be charged, and how much another one may pass its price. */
  owed: (session: Session) => { ended: number; open: number; extra: number }
}

/** A balance unchanged for this long is final: when a charge shows, or a refund, is not stated. */
const STILL_MS = 240_000
const BALANCE_INTERVAL_MS = 8_000

export const MODES = ['unsaid+webhook', 'sync', 'async+webhook', 'unsaid', 'sync+webhook', 'async'] as const

/** One run of the suite: what scenarios need, and everything that was sent and received. */
export class Session {
  readonly options: ResolvedOptions
  readonly clock: ConformanceClock
  readonly parts: SessionParts
  readonly recorded: Recorded[] = []
  readonly files: ApiResponse[] = []
  /** The balance of the account before anything was run, and at the end. */
  readonly credits: { before?: number | undefined; after?: number | undefined } = {}
  readonly models: Record<string, unknown>[] = []
  targets: Targets = {}
  /** Why scenarios broke off, by name: a failure, or a reason to skip where something that they build on is missing. */
  readonly troubles = new Map<string, Finding>()
  #modes = 0
  #priceOfSent = 0

  constructor(parts: SessionParts) {
    const { options } = parts
    this.parts = parts
    this.options = options
    this.clock = options.clock
  }

  /** Performs a scenario. What it cannot do is not the end of the others. */
  async perform({ name, perform }: { name: string; perform(session: Session): Promise<unknown> }): Promise<void> {
    try {
      await perform(this)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const isMissing = error instanceof BlockedError
      this.troubles.set(name, isMissing ? skip(reason) : fail(reason, error instanceof NoResponseError ? error : []))
    }
  }

  /** The balance of the account; `undefined` where it cannot be read: the results of paid runs must not be lost with it. */
  async balance(): Promise<number | undefined> {
    return this.options.readCredits?.().catch(() => undefined)
  }

  async settledBalance(): Promise<number | undefined> {
    const startedAt = this.clock.now()
    let [last, changedAt] = [await this.balance(), startedAt]
    const until = () => Math.min(changedAt + STILL_MS, startedAt + 2 * STILL_MS)
    while (last !== undefined && this.clock.now() < until()) {
      await sleep(this.clock, BALANCE_INTERVAL_MS)
      const next = await this.balance()
      if (next !== last) changedAt = this.clock.now()
      last = next
    }
    return last
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
    const { ended, open, extra } = this.parts.owed(this)
    const next = credits + extra
    if (Math.max(this.#priceOfSent, ended + open) + next > maxCredits) {
      const charged = Number(this.credits.before) - Number(await this.balance()) || 0
      if (Math.max(ended, charged) + open + next > maxCredits)
        throw new BlockedError(`another run for ${next} credits could pass the limit of ${maxCredits}`)
    }
    this.#priceOfSent += credits
  }

  target(kind: RunKind): ModelTarget {
    const target = this.targets[kind]
    if (target === undefined) throw new BlockedError(`no ${kind} model was chosen`)
    return target
  }

  /** Members of the body for a way to ask for a run. Default: all of them in turn. */
  modeOf(mode: (typeof MODES)[number] = inTurn(MODES, this.#modes++) ?? 'unsaid') {
    const url = mode.endsWith('+webhook') ? this.parts.webhookEndpoints?.open('accept').url : undefined
    return { sync: mode.startsWith('unsaid') ? undefined : mode.startsWith('sync'), webhook_url: url }
  }

  get endpoints(): readonly WebhookEndpoint[] {
    return this.parts.webhookEndpoints?.opened ?? []
  }

  get webhookEndpoints(): WebhookEndpoints {
    if (this.parts.webhookEndpoints === undefined) throw new BlockedError('no webhook receiver was given')
    return this.parts.webhookEndpoints
  }
}

export function inTurn<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length]
}
