import { isList, needs } from '../../arguments/checks.ts'
import { checkEach } from '../../arguments/read-options.ts'
import { ConfigurationError } from '../../errors/local-errors.ts'
import { checkInboxArguments } from '../inbox-arguments.ts'
import type { InboxCore } from '../inbox-core.ts'
import { jobKey, refOfKey } from '../record-key.ts'
import type { DueRecord } from '../store/inbox-store.ts'
import type { WorkOutcome } from '../work/end-work.ts'
import { tellOrphan } from './orphan-intent.ts'
import { createPacer, type Pacer } from './pacer.ts'
import { type PollOutcome, pollRecord } from './poll-record.ts'

/** What a reconciliation did. */
export interface ReconcileReport {
  /** Jobs that were overdue. */
  found: number
  /** Those whose result was found without a delivery: more than none means that webhooks do not arrive. */
  reconciled: number
  /** Those that were given up. */
  lost: number
}

/** Options of `reconcile`. */
export interface ReconcileOptions {
  /**
   * Gives the ids of jobs that wait for a result, from a table of your own. Those that the inbox does not know are looked
   * at now, and expected from then on; the others when they are due.
   */
  listPending?: (() => Iterable<string> | PromiseLike<Iterable<string>>) | undefined
}

/** Finds the results whose deliveries did not come. */
export interface Reconciler {
  /** Looks at what is overdue. The work on what was found goes on. */
  pass(): Promise<{ report: ReconcileReport; works: Promise<WorkOutcome>[] }>
  /** Looks at what is overdue, and waits for the work on it. @throws ConfigurationError for ids without a client */
  reconcile(options?: ReconcileOptions): Promise<ReconcileReport>
}

const PAGE = 50
const MAX_LOOKS_AT_ONCE = 4

export function createReconciler(core: InboxCore): Reconciler {
  const pacer = createPacer(core.options.clock)
  const isOver = () => core.stopping.signal.aborted || pacer.isPaused

  async function pass() {
    const report: ReconcileReport = { found: 0, reconciled: 0, lost: 0 }
    const works: Promise<WorkOutcome>[] = []
    let found = PAGE
    while (found === PAGE && !isOver()) {
      const due = await core.store.due(PAGE, 'poll')
      const outcomes = await lookAtAll(core, pacer, due)
      found = due.length
      report.found += found
      report.lost += outcomes.filter((outcome) => outcome?.kind === 'lost').length
      for (const outcome of outcomes) if (outcome?.kind === 'reconciled') works.push(outcome.work)
    }
    report.reconciled = works.length
    return { report, works }
  }

  return {
    pass,
    reconcile: async ({ listPending } = {}) => {
      if (listPending !== undefined) await expectAll(core, await listPending())
      const { report, works } = await pass()
      await Promise.all(works)
      return report
    },
  }
}

async function expectAll({ store, looker }: InboxCore, jobIds: Iterable<string>): Promise<void> {
  if (looker === undefined) {
    throw new ConfigurationError({ message: '`reconcile({ listPending })` needs a `client` to look at the jobs with.' })
  }
  checkEach('inbox.reconcile', { listPending: jobIds }, { listPending: needs('a function that gives a list', isList) })
  for (const jobId of jobIds) {
    checkInboxArguments('reconcile', { jobId })
    await store.expect(jobKey(jobId), { pollInMs: 0, context: {} })
  }
}

async function lookAtAll(core: InboxCore, pacer: Pacer, due: readonly DueRecord[]): Promise<PollOutcome[]> {
  const left = [...due]
  const outcomes: PollOutcome[] = []
  const failures: unknown[] = []
  const lookAtSome = async () => {
    for (let record = left.shift(); record !== undefined; record = left.shift()) {
      if (core.stopping.signal.aborted || failures.length > 0) return
      try {
        outcomes.push(await lookAt(core, pacer, record))
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_LOOKS_AT_ONCE }, lookAtSome))
  // The end of the inbox ends a look: no failure.
  if (failures.length > 0 && !core.stopping.signal.aborted) throw failures[0]
  return outcomes
}

async function lookAt(core: InboxCore, pacer: Pacer, record: DueRecord): Promise<PollOutcome> {
  const ref = refOfKey(record.key)
  if (ref === undefined) return await pollRecord(core, pacer, record)
  await tellOrphan(core, record, ref)
  return undefined
}
