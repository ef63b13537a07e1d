import { setTimeout as sleep } from 'node:timers/promises'
import { chance } from './chance.ts'
import type { Receivers } from './receivers.ts'

/** Between two faults, on average. */
const EVERY_MS = 1_000

/** Kills, stops and drains receivers until the signal aborts. */
export async function injectReceiverFaults(receivers: Receivers, seed: number, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    await sleep(EVERY_MS * 2 * chance(seed, 'pause', count), undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const draw = chance(seed, 'how', count)
    receivers.inject(draw < 0.6 ? 'kill' : draw < 0.83 ? 'stop' : 'drain', chance(seed, 'which', count))
  }
}
