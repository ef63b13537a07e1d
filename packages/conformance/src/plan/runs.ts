import type { ResolvedOptions } from '../options.ts'
import type { EndpointBehavior } from '../webhooks/webhook-endpoints.ts'
import type { ModelTarget } from './inputs.ts'
import type { RunKind, Targets } from './targets.ts'

export interface RunPlan {
  sync?: boolean
  /** How the receiver of its webhook responds. Default: no webhook. */
  receiver?: EndpointBehavior
  /** Default: never. */
  cancel?: 'at once' | 'when processing' | 'after the hold'
  /** Whether keys that must not cancel it try to, where it is slow enough. */
  isTried?: true
  /** Default: the given input. The others stand at the lower or upper edges of its schema. */
  input?: 'smallest' | 'largest'
}

interface KindOfRun extends RunPlan {
  kind: RunKind
}

/** The runs that come first, each polled to its end: what is most often asked for. */
export const FIRST_RUNS = {
  default: { kind: 'main' },
  sync: { kind: 'main', sync: true, input: 'largest' },
  async: { kind: 'main', sync: false, input: 'smallest' },
  held: { kind: 'slow' },
  failing: { kind: 'failing', sync: true },
  failingAsync: { kind: 'failing', sync: false },
  webhook: { kind: 'main', receiver: 'accept' },
  asyncWebhook: { kind: 'main', sync: false, receiver: 'miss' },
  failingWebhook: { kind: 'failing', receiver: 'accept' },
  cancelled: { kind: 'longest', sync: false, cancel: 'at once' },
  cancelledProcessing: { kind: 'longest', sync: false, cancel: 'when processing', isTried: true },
  cancelledWebhook: { kind: 'longest', receiver: 'accept', cancel: 'at once' },
} as const satisfies Record<string, KindOfRun>

export interface PlannedRun extends RunPlan {
  target: ModelTarget
}

/** Cancelled runs are free. They come first, one after the other: what is charged then is charged for one of them. */
const CANCELLED: readonly KindOfRun[] = [
  { kind: 'slow', cancel: 'after the hold' },
  { kind: 'slow', sync: true, cancel: 'after the hold', input: 'largest' },
  { kind: 'slow', sync: false, receiver: 'accept', cancel: 'when processing', input: 'smallest' },
  { kind: 'slow', sync: true, receiver: 'reject', cancel: 'when processing' },
  { kind: 'main', receiver: 'accept', cancel: 'when processing' },
]

/** Every way to obtain a result, each with another receiver. */
const OTHERS: readonly KindOfRun[] = [
  { kind: 'main', receiver: 'reject' },
  { kind: 'main', sync: true, receiver: 'silent' },
  { kind: 'failing' },
  { kind: 'failing', sync: false, receiver: 'reject' },
  { kind: 'main', receiver: 'miss' },
  { kind: 'main', sync: false, receiver: 'silent' },
  { kind: 'main', sync: true, receiver: 'accept', input: 'smallest' },
  { kind: 'main', sync: false, receiver: 'reject', input: 'largest' },
  { kind: 'main', sync: false, input: 'largest' },
  { kind: 'main', sync: false, receiver: 'accept' },
  { kind: 'failing', sync: true, receiver: 'accept' },
  { kind: 'slow', sync: true },
  { kind: 'slow', sync: false, receiver: 'accept' },
  // These meet jobs that continue.
  { kind: 'longest', sync: true, receiver: 'accept', cancel: 'at once' },
  { kind: 'main', sync: false, cancel: 'at once', input: 'largest' },
]

/** What the runs of `moreRuns` may cost together. */
const MOST_CREDITS = 60
/** More runs, so that a fault of one mode, receiver or cancel is met; as far as the credits go. None where some checks are chosen. */
export function moreRuns(
  targets: Targets,
  { receiver, only }: Pick<ResolvedOptions, 'receiver' | 'only'>,
): PlannedRun[] {
  if (only !== undefined) return []
  const chosen = ({ kind, ...run }: KindOfRun): PlannedRun[] => {
    const target = targets[kind]
    return target === undefined ? [] : [{ ...run, target }]
  }
  let left = MOST_CREDITS
  return [...CANCELLED, ...OTHERS].flatMap(chosen).filter((run) => {
    const credits = costOfRuns([run])
    if (credits > left || (run.receiver !== undefined && receiver === undefined)) return false
    left -= credits
    return true
  })
}

/** The price of runs: a cancelled one is free. */
export function costOfRuns(runs: readonly PlannedRun[]): number {
  return runs.reduce((sum, { target, cancel }) => sum + (cancel === undefined ? target.creditsPerRun : 0), 0)
}
