import type { CatalogModel } from './catalog.ts'
import { Credits } from './credits.ts'
import type { ScriptedOutcome } from './scripted-outcome.ts'
import type { ScriptedWebhook } from './scripted-webhook.ts'

/** A tenant: what belongs together behind one API key and the keys that it was rotated to. */
export class Account {
  readonly credits: Credits
  /** Its name: the start of its first key. */
  readonly name: string
  /** How results are delivered, unless the script of a run says so itself. */
  webhook: ScriptedWebhook | undefined
  /** What the next runs do, first in first out, by model id. */
  readonly #scripts = new Map<string, ScriptedOutcome[]>()
  /** How many runs did what the catalog says, by model id. */
  readonly turns = new Map<string, number>()

  constructor(credits: number, name = 'account') {
    this.name = name
    this.credits = new Credits(credits)
  }

  /** @returns how many outcomes wait for runs of the model now */
  addScript(modelId: string, outcomes: readonly ScriptedOutcome[]): number {
    const waiting = [...(this.#scripts.get(modelId) ?? []), ...outcomes]
    this.#scripts.set(modelId, waiting)
    return waiting.length
  }

  takeScript(modelId: string): ScriptedOutcome | undefined {
    return this.#scripts.get(modelId)?.shift()
  }

  /** The next of the outcomes that the catalog has for a model. */
  takeTurn({ id, outcomes = [] }: CatalogModel): ScriptedOutcome | undefined {
    const turn = this.turns.get(id) ?? 0
    if (outcomes.length > 0) this.turns.set(id, turn + 1)
    return outcomes[turn % outcomes.length]
  }

  /** The outcomes that no run has taken. */
  waitingScripts(): { model_id: string; outcomes: number }[] {
    const waiting = [...this.#scripts].map(([model_id, { length }]) => ({ model_id, outcomes: length }))
    return waiting.filter(({ outcomes }) => outcomes > 0)
  }

  /** The outcomes that wait, by model id. */
  scripts(): Record<string, readonly ScriptedOutcome[]> {
    const waiting = [...this.#scripts].filter(([, { length }]) => length > 0)
    return Object.fromEntries(waiting.map(([modelId, outcomes]) => [modelId, [...outcomes]]))
  }

  reset(): void {
    this.credits.reset()
    this.#scripts.clear()
    this.turns.clear()
    this.webhook = undefined
  }
}
