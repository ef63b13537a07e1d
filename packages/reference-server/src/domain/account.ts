import { AccountFaults } from './account-faults.ts'
import type { CatalogModel } from './catalog.ts'
import { fitsInput } from './input-condition.ts'
import type { ScriptedOutcome, ScriptedWebhook } from './scripted-outcome.ts'

/** A tenant: what belongs together behind one API key and the keys that it was rotated to. */
export class Account {
  readonly credits: Credits
  readonly faults: AccountFaults
  /** Its name: the start of its first key. */
  readonly name: string
  /** How results are delivered, unless the script of a run says so itself. */
  webhook: ScriptedWebhook | undefined
  /** What the next runs do, first in first out, by model id. */
  readonly #scripts = new Map<string, ScriptedOutcome[]>()
  /** How many runs did what the catalog says, by model id. */
  readonly turns = new Map<string, number>()

  /** @param seed of the server, from which the faults select their requests */
  constructor(credits: number, name = 'account', seed = 0) {
    this.name = name
    this.credits = new Credits(credits)
    this.faults = new AccountFaults(seed)
  }

  /** @returns how many outcomes wait for runs of the model now */
  addScript(modelId: string, outcomes: readonly ScriptedOutcome[]): number {
    const waiting = [...(this.#scripts.get(modelId) ?? []), ...outcomes]
    this.#scripts.set(modelId, waiting)
    return waiting.length
  }

  /** The first outcome that waits for such a run. */
  findScript(modelId: string, input: unknown): ScriptedOutcome | undefined {
    return this.#scripts.get(modelId)?.find(({ when = {} }) => fitsInput(when, input, `a script of ${modelId}`))
  }

  /** A run has taken an outcome. */
  dropScript(modelId: string, taken: ScriptedOutcome): void {
    const waiting = this.#scripts.get(modelId) ?? []
    waiting.splice(waiting.indexOf(taken), 1)
  }

  /** The next of the outcomes that the catalog has for a model. */
  takeTurn({ id, outcomes = [] }: CatalogModel): ScriptedOutcome | undefined {
    const turn = this.turns.get(id) ?? 0
    if (outcomes.length > 0) this.turns.set(id, turn + 1)
    return outcomes[turn % outcomes.length]
  }

  /** The outcomes that no run has taken. */
  waitingScripts(): { model_id: string; outcomes: number }[] {
    return Object.entries(this.scripts()).map(([model_id, { length }]) => ({ model_id, outcomes: length }))
  }

  /** The outcomes that wait, by model id. */
  scripts(): Record<string, readonly ScriptedOutcome[]> {
    const waiting = [...this.#scripts].filter(([, { length }]) => length > 0)
    return Object.fromEntries(waiting.map(([modelId, outcomes]) => [modelId, [...outcomes]]))
  }

  reset(): void {
    this.credits.reset()
    this.faults.restore({ added: 0, rules: [] })
    this.#scripts.clear()
    this.turns.clear()
    this.webhook = undefined
  }
}

/** The credits of an account as JSON. */
export interface CreditsState {
  granted: number
  /** What a reset gives. */
  grant: number
  charged: number
}

/**
 * The credits of one account (section 1). A run reserves its price when it starts, so that runs at the same time
 * cannot spend the same credits; success charges it, any other end gives it back.
 */
export class Credits {
  #granted: number
  /** What a reset gives. */
  #grant: number
  #charged = 0
  #reserved = 0

  constructor(granted: number) {
    this.#granted = granted
    this.#grant = granted
  }

  /** What has not been charged. */
  get left(): number {
    return this.#granted - this.#charged
  }

  /** What new runs can spend: what is left without the price of unfinished runs. */
  get available(): number {
    return this.left - this.#reserved
  }

  /** From now on new runs can spend so many, beside unfinished runs; after a reset too. */
  limit(available: number): void {
    this.#granted = this.#charged + this.#reserved + available
    this.#grant = available
  }

  /** @returns whether there was enough */
  reserve(price: number): boolean {
    if (price > this.available) return false
    this.#reserved += price
    return true
  }

  /** Turns a reservation into a charge. */
  charge(price: number): void {
    this.#reserved -= price
    this.#charged += price
  }

  /** Gives a reservation back. */
  release(price: number): void {
    this.#reserved -= price
  }

  /** The state from which another server can continue; the reservations follow from the jobs. */
  state(): CreditsState {
    return { granted: this.#granted, grant: this.#grant, charged: this.#charged }
  }

  /** Continues from where other credits stood; without reservations. */
  restore({ granted, grant, charged }: CreditsState): void {
    this.#granted = granted
    this.#grant = grant
    this.#charged = charged
    this.#reserved = 0
  }

  /** As if nothing had ever been charged. */
  reset(): void {
    this.#charged = 0
    this.#granted = this.#grant
  }
}
