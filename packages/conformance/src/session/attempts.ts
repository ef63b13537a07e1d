import type { RunKind, Targets } from '../plan/targets.ts'

/** So many repeats the plan pays for. A slow model is dear. */
export const REPEATS: Readonly<Partial<Record<RunKind, number>>> = { main: 4, slow: 1 }
/** One scenario takes so many of them at most. */
export const MOST_REPEATS = 2

/** The outcomes of the runs that should succeed. */
export class Attempts {
  readonly #repeats = new Map<RunKind, number>()
  readonly #succeeded = new Set<RunKind>()
  readonly #failed = new Map<RunKind, number>()

  add(kind: RunKind, hasFailed: boolean): void {
    if (hasFailed) this.#failed.set(kind, (this.#failed.get(kind) ?? 0) + 1)
    else this.#succeeded.add(kind)
  }

  /** Whether one more repeat is paid for, which is taken then. */
  takeRepeat(kind: RunKind): boolean {
    const taken = this.#repeats.get(kind) ?? 0
    this.#repeats.set(kind, taken + 1)
    return taken < (REPEATS[kind] ?? 0)
  }

  /** What to do about models whose every run failed at the provider, a sentence for each. */
  advice(targets: Targets): string[] {
    return (['main', 'slow'] as const).flatMap((kind) => {
      const [id, failed] = [targets[kind]?.modelId, this.#failed.get(kind)]
      if (id === undefined || failed === undefined || this.#succeeded.has(kind)) return []
      const runs = failed === 1 ? 'The run' : `All ${failed} runs`
      return [`${runs} of ${id} failed at the provider, so little could be judged: choose another ${kind} model.`]
    })
  }
}
