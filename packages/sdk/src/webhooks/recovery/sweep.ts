import type { InboxCore } from '../inbox-core.ts'
import { claimRecord } from '../work/claimed.ts'
import type { WorkOutcome } from '../work/end-work.ts'
import { startWork } from '../work/start-work.ts'

/** What a sweep did. */
export interface SweepReport {
  /** Records that were due. */
  found: number
  /** Those that this process got: another one may have been faster. */
  claimed: number
  /** Those whose handler succeeded. */
  completed: number
}

/** How many records are worked on at once. */
export const SWEEP_LIMIT = 50

/** A page of work that was begun. */
export interface SweptPage {
  found: number
  works: Promise<WorkOutcome>[]
}

/** Begins work on records whose lease ran out or whose next try is due. */
export async function sweepPage(core: InboxCore, limit: number): Promise<SweptPage> {
  const due = await core.store.due(limit, 'work')
  const works: Promise<WorkOutcome>[] = []
  for (const { key } of due) {
    if (core.stopping.signal.aborted) break
    const { claimed } = await claimRecord(core, key)
    if (claimed !== undefined) works.push(startWork(core, claimed))
  }
  return { found: due.length, works }
}

/** Works on everything that is due, and waits for the end of that. */
export async function sweep(core: InboxCore): Promise<SweepReport> {
  const report: SweepReport = { found: 0, claimed: 0, completed: 0 }
  while (!core.stopping.signal.aborted) {
    const { found, works } = await sweepPage(core, SWEEP_LIMIT)
    const outcomes = await Promise.all(works)
    report.found += found
    report.claimed += outcomes.length
    report.completed += outcomes.filter(({ isCompleted }) => isCompleted).length
    if (found < SWEEP_LIMIT || works.length === 0) break
  }
  return report
}
