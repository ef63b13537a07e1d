import { Credits } from './credits.ts'
import type { ScriptedOutcome } from './scripted-outcome.ts'

/** A tenant: what belongs together behind one API key and the keys that it was rotated to. */
export class Account {
  readonly credits: Credits
  /** What the next runs do, first in first out, by model id. */
  readonly #scripts = new Map<string, ScriptedOutcome[]>()

  constructor(credits: number) {
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

  reset(): void {
    this.credits.reset()
    this.#scripts.clear()
  }
}
