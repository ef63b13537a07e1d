import { type Audit, audit } from './audit.ts'
import { planSteps } from './deliveries.ts'
import { CHAOS, type FateRates } from './fate.ts'
import { monotonicMs } from './journal.ts'
import { isAccepted } from './receiver.ts'
import type { StoreSettings } from './receiver-settings.ts'
import { takeSteps } from './take-steps.ts'
import { readRecords, untilDone } from './until-done.ts'
import { createWorld, type World } from './world.ts'

export interface ChaosOptions {
  store: StoreSettings
  jobs: number
  seed: number
  /** Default {@link CHAOS}. */
  rates?: FateRates
  /** True for a store that is wrong on purpose. */
  isFaulty?: boolean
  /** Without anything happening for so long, what is not done counts as lost. */
  patienceMs?: number
}

export interface ChaosResult extends Audit {
  jobs: number
  seed: number
  /** Deliveries that were sent. */
  deliveries: number
  /** Jobs whose delivery was dropped on purpose. */
  dropped: number
  /** Deliveries without an answer, or with another one than 2xx. */
  unanswered: number
  /** Processes that died. */
  deaths: number
  seconds: number
}

/** Runs many jobs whose receivers die, stall and throw, waits until they are done, and looks at what happened. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { jobs, seed, rates = CHAOS, patienceMs = 30_000 } = options
  const startedAtMs = monotonicMs()
  const world = await createWorld({ ...options, rates })
  try {
    const steps = planSteps({ jobs, seed })
    const posted = await takeSteps(world, steps, whileFewAreOpen(world))
    const names = Array.from({ length: jobs }, (_, index) => `job_${index}`)
    await untilDone(world, names, patienceMs)
    const { deaths } = world.receivers
    await world.receivers.stop()
    const dropped = new Set(steps.filter(({ kind }) => kind === 'drop').map(({ job }) => job))
    const records = await readRecords(world, names)
    return {
      ...audit({ entries: world.progress.entries, records, dropped }),
      jobs,
      seed,
      deliveries: posted.length,
      dropped: dropped.size,
      unanswered: posted.filter((answer) => !isAccepted(answer)).length,
      deaths,
      seconds: (monotonicMs() - startedAtMs) / 1_000,
    }
  } finally {
    await world.close()
  }
}

/** Jobs that are worked on: the service sends no more until there are fewer. */
const MAX_OPEN = 60

function whileFewAreOpen({ progress }: World): () => Promise<void> {
  return () => progress.until(() => progress.open.size < MAX_OPEN)
}
