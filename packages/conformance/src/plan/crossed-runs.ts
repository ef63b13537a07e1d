import type { Permission } from '@modelrun/contract'
import type { ResolvedOptions } from '../options.ts'
import { LACKS, LIMITED_KEYS, type LimitedKey } from '../session/sent-key.ts'
import { BEHAVIORS, type EndpointBehavior } from '../webhooks/webhook-endpoints.ts'
import { crossed } from './crossing.ts'
import type { ModelTarget, Targets } from './targets.ts'

/** A run whose model, key, mode, webhook, and time of its cancel were crossed. */
export interface CrossedRun {
  target: ModelTarget
  /** `undefined`: the key with all permissions. */
  key: LimitedKey | undefined
  sync: boolean | undefined
  receiver: EndpointBehavior | 'none'
  cancel: 'never' | 'at once' | 'when processing' | 'after the hold'
}

/** Responses of a receiver that is there and does not accept. They take turns. */
const REJECTIONS = BEHAVIORS.filter((behavior) => !/accept|silent|redirect/.test(behavior))
const RECEIVERS = ['none', 'none', 'accept', 'accept', 'rejects', 'silent', 'redirect'] as const
const MOST_RUNS = 18
/** What other keys do not send is left for these. */
const MOST_WITHOUT_KEYS = 23
/** Each takes as long as the hold. */
const MOST_HELD = 3

/** The runs that are crossed. They and their price are known before anything is run. */
export function crossedRunsOf(targets: Targets, options: ResolvedOptions): CrossedRun[] {
  const { main, slow, failing, others = [] } = targets
  if (!options.allowRuns || options.crossingCredits === 0 || main === undefined) return []
  const names = namesOf(options, 'models:run')
  const models = { main: [main], slow: slow ? [slow] : [], failing: failing ? [failing] : [], other: others }
  // The keys of the object.
  const kinds = (Object.keys(models) as (keyof typeof models)[]).filter((kind) => models[kind].length > 0)
  const isWaiting = (run: { sync: unknown; receiver: unknown }) => run.sync !== false && run.receiver === 'none'
  const isHeld = (run: { kind: unknown; sync: unknown; receiver: unknown }) => run.kind === 'slow' && isWaiting(run)
  const runs = crossed(
    {
      kind: [...kinds, ...kinds.filter((kind) => kind === 'slow' || kind === 'failing')],
      key: [undefined, undefined, ...names],
      sync: [undefined, true, false],
      receiver: options.receiver === undefined ? (['none'] as const) : RECEIVERS,
      cancel: ['never', 'never', 'at once', 'when processing', 'after the hold'] as const,
    },
    {
      seed: options.seed,
      most: Object.keys(options.keys).length === 0 ? MOST_WITHOUT_KEYS : MOST_RUNS,
      budget: options.crossingCredits - costOfAll(unaccepted(main, options)),
      costOf: ({ kind, key, cancel }) => Math.max(...models[kind].map((target) => costOf({ target, key, cancel }))),
      // The id of a job that is waited for is not known before the end of the hold.
      isPossible: (run) => run.cancel === 'never' || (run.cancel === 'after the hold' ? isHeld(run) : !isWaiting(run)),
    },
  )
  const tooMany = runs.filter(isHeld).slice(MOST_HELD)
  const made = runs
    .filter((run) => !tooMany.includes(run))
    .map(({ kind, receiver, ...run }, index) => ({
      ...run,
      target: inTurn(models[kind], index) ?? main,
      receiver: receiver === 'rejects' ? (inTurn(REJECTIONS, index) ?? 'reject') : receiver,
    }))
  return [...unaccepted(main, options), ...made]
}

/** Deliveries that are not accepted, of runs that certainly end. */
function unaccepted(target: ModelTarget, { seed, receiver }: ResolvedOptions): CrossedRun[] {
  if (receiver === undefined) return []
  const modes = [undefined, true, false]
  return (['reject', 'silent'] as const).map((behavior, index) => ({
    target,
    key: undefined,
    sync: inTurn(modes, Math.abs(seed) + index),
    receiver: behavior,
    cancel: 'never',
  }))
}

/** The price of runs. */
export function costOfAll(runs: readonly CrossedRun[]): number {
  return runs.reduce((sum, run) => sum + costOf(run), 0)
}

/** A cancelled run is free; the job of a key that may not cancel cannot be cancelled where it belongs to another account. */
function costOf({ target, key, cancel }: Pick<CrossedRun, 'target' | 'key' | 'cancel'>): number {
  const isFree = cancel !== 'never' && !(key !== undefined && lacks(key, 'jobs:write'))
  return isFree ? 0 : target.creditsPerRun
}

function inTurn<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length]
}

/** The keys that were given and lack a permission, but not this one. */
export function namesOf({ keys }: ResolvedOptions, needed: Permission): LimitedKey[] {
  return LIMITED_KEYS.filter((name) => keys[name] !== undefined && !lacks(name, needed))
}

/** Whether a key lacks a permission. */
export function lacks(name: LimitedKey, permission: Permission): boolean {
  return LACKS[name].some((one) => one === permission)
}
