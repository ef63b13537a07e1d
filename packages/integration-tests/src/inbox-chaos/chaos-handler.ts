import { setTimeout as sleep } from 'node:timers/promises'
import type { EventHandler, SucceededEvent } from 'modelrun/webhooks'
import { chance } from './chance.ts'
import { fateOf, type Run } from './fate.ts'
import type { Journal } from './journal.ts'
import { killSelf, runKey, type Sabotage } from './journaled-store.ts'
import { type ReceiverMessage, type ReceiverSettings, STALL_MS } from './receiver-settings.ts'

/** Longest work of a handler that nothing happens to. */
const WORK_MS = 20

export interface ChaosHandlerOptions {
  settings: ReceiverSettings
  journal: Journal
  sabotage: Sabotage
  tellParent(message: ReceiverMessage): void
}

/** A handler that works for a moment, and then does what its fate says. */
export function createChaosHandler(options: ChaosHandlerOptions): EventHandler<SucceededEvent> {
  const { settings, journal, sabotage, tellParent } = options
  const { seed, rates } = settings
  return async ({ job_id: job }, { fence, source, complete }) => {
    const run: Run = { job, fence }
    journal.write({ what: 'began', ...run, source })
    await sleep(WORK_MS * chance(seed, 'work', job, fence))
    switch (fateOf(seed, rates, run)) {
      case 'returns':
        return
      case 'completes':
        return await complete()
      case 'throws':
        journal.write({ what: 'throws', ...run })
        throw new Error('The handler fails.')
      case 'dies':
        journal.write({ what: 'crashes', ...run })
        return killSelf()
      case 'dies_completed':
        sabotage.diesCompleted.add(runKey(run))
        return
      case 'is_killed':
        journal.write({ what: 'crashes', ...run })
        return tellParent({ kind: 'kill me' })
      case 'freezes':
        journal.write({ what: 'stalls', ...run })
        return standStill(STALL_MS)
      case 'is_cut_off':
        journal.write({ what: 'stalls', ...run })
        sabotage.cutOff.add(runKey(run))
        await sleep(STALL_MS)
        return await complete()
    }
  }
}

/** Nothing happens in this process meanwhile: no timer fires, no answer comes. */
function standStill(delayMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
}
