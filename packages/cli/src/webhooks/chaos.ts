import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '@modelrun/kit'

/** What happens to deliveries on their way. */
export interface ChaosOptions {
  duplicate: number
  delay: number
  drop: number
  reorder?: boolean | undefined
  seed: number
}

const REORDER_MS = 3_000

/** Loses, delays and doubles deliveries, alike for the same seed. */
export class Chaos {
  readonly #options: ChaosOptions
  readonly #random: () => number

  constructor(options: ChaosOptions) {
    this.#options = options
    this.#random = seededRandom(options.seed)
  }

  /** Milliseconds until each copy of a delivery is sent; none for a delivery that is lost. */
  plan(): number[] {
    const { duplicate, delay, drop, reorder } = this.#options
    return Array.from({ length: duplicate + 1 }, () => {
      // Both are drawn for every copy, so that one option does not change what the other does.
      const [isLost, shift] = [this.#random() < drop, this.#random() * REORDER_MS]
      return isLost ? [] : [delay + (reorder ? shift : 0)]
    }).flat()
  }
}

/** Waits, unless there is nothing to wait for. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal })
}
