import type { ResolvedOptions } from '../options.ts'
import { type LimitedKey, lacks, namesOf } from '../session/keys.ts'
import { BEHAVIORS, type EndpointBehavior } from '../webhooks/webhook-endpoints.ts'
import { type Crossed, crossed } from './crossing.ts'
import { largestInput, type ModelTarget, smallestInput } from './inputs.ts'
import type { Targets } from './targets.ts'

const CANCELS = ['never', 'at once', 'when processing', 'after the hold'] as const
const INPUTS = ['given', 'smallest', 'largest'] as const

/** How a run is sent, and what is done with it. */
export interface RunPlan {
  sync: boolean | undefined
  receiver: EndpointBehavior | 'none'
  cancel: (typeof CANCELS)[number]
  /** The given input, or one at the lower or upper edges of the rules of its schema. */
  input: (typeof INPUTS)[number]
}

/** A run whose model, key, mode, webhook, input and cancel were crossed. */
export interface CrossedRun extends RunPlan {
  target: ModelTarget
  /** `undefined`: the key with all permissions. */
  key: LimitedKey | undefined
}

const PLAIN: RunPlan = { sync: undefined, receiver: 'none', cancel: 'never', input: 'given' }

/** The runs that come first, one after the other, each polled to its end: what is most often asked for. */
export const FIRST_RUNS = {
  default: { kind: 'main', ...PLAIN },
  sync: { kind: 'main', ...PLAIN, sync: true, input: 'largest' },
  async: { kind: 'main', ...PLAIN, sync: false, input: 'smallest' },
  held: { kind: 'slow', ...PLAIN },
  failing: { kind: 'failing', ...PLAIN, sync: true },
  failingAsync: { kind: 'failing', ...PLAIN, sync: false },
  webhook: { kind: 'main', ...PLAIN, receiver: 'accept' },
  asyncWebhook: { kind: 'main', ...PLAIN, sync: false, receiver: 'miss' },
  failingWebhook: { kind: 'failing', ...PLAIN, receiver: 'accept' },
  cancelled: { kind: 'longest', ...PLAIN, sync: false, cancel: 'at once' },
  cancelledProcessing: { kind: 'longest', ...PLAIN, sync: false, cancel: 'when processing' },
  cancelledWebhook: { kind: 'longest', ...PLAIN, receiver: 'accept', cancel: 'at once' },
} as const satisfies Record<string, RunPlan & { kind: string }>

/** Ways of a receiver not to accept. They take turns. */
const REJECTIONS = BEHAVIORS.filter((behavior) => behavior !== 'accept')
const MOST_RUNS = 20
/** What other keys do not send is left for these. */
const MOST_WITHOUT_KEYS = 24
/** Of each way to obtain a result, and of cancels, with each 1 of depth after the first. */
const MOST_OF_WAY = 5
/** A cancelled run is free, but shows less with more requests. */
const MOST_CANCELLED = 6
/** Each takes as long as the hold. */
const MOST_HELD = 3

/** The runs that are crossed. They and their price are known before anything is run. */
export function crossedRunsOf(targets: Targets, options: ResolvedOptions): CrossedRun[] {
  const { main, slow, failing, others = [] } = targets
  if (!options.allowRuns || options.crossingCredits === 0 || main === undefined) return []
  // Models of a category take turns.
  const kinds = new Map<string, ModelTarget[]>()
  for (const [kind, target] of Object.entries({ main, slow, failing })) if (target) kinds.set(kind, [target])
  const kindOf = ({ category }: ModelTarget) => (category === main.category ? 'main' : String(category))
  for (const other of others) kinds.set(kindOf(other), [...(kinds.get(kindOf(other)) ?? []), other])
  const priceOf = (kind: string) => Math.max(...(kinds.get(kind) ?? []).map(({ creditsPerRun }) => creditsPerRun))
  const names = namesOf(options, 'models:run')
  const alone = unaccepted(main, options)
  const hooked = options.receiver === undefined ? [] : (['accept', 'rejects'] as const)
  const dimensions = {
    kind: [...kinds.keys()],
    way: WAYS,
    sync: [undefined, true, false],
    receiver: ['none', ...hooked] as const,
    cancel: CANCELS,
    key: names.length === 0 ? (['full'] as const) : (['full', 'full', 'limited'] as const),
  }
  const known = Object.values(FIRST_RUNS).map(({ kind, receiver, ...run }) => {
    const group = receiver === 'none' || receiver === 'accept' ? receiver : ('rejects' as const)
    const one = { ...run, key: 'full' as const, kind: kind === 'longest' ? 'slow' : kind, receiver: group }
    return { ...one, way: wayOf(one) }
  })
  const limits = {
    seed: options.seed,
    // Of the limited keys, one may not cancel.
    costOf: ({ kind, key, cancel }: { kind: string; key: string; cancel: string }) =>
      key === 'full' && cancel !== 'never' ? 0 : priceOf(kind),
    isPossible: (run: Pick<RunPlan, 'sync' | 'cancel'> & { kind: string; way: string; receiver: string }) =>
      run.way === wayOf(run) && isKnownInTime(run),
  }
  // The result of each other category, and what fails, obtained in two ways; then what is not cancelled, as far as the credits go; then
  // the rest. What is deeper takes all ways alike.
  const alike = [...kinds.keys()].filter((kind) => kind !== 'main' && kind !== 'slow')
  const most = Math.min(1, options.depth) * (names.length === 0 ? MOST_WITHOUT_KEYS : MOST_RUNS)
  const deeper = Math.max(0, options.depth - 1)
  const never = { ...dimensions, cancel: ['never'] as const }
  const ways = [...WAYS.slice(0, 3).map((way) => ({ ...never, way: [way] })), dimensions]
  const rounds = [
    { of: { ...never, kind: alike }, most: 2 * alike.length },
    { of: never, most: most - MOST_CANCELLED },
    { of: dimensions, most },
    ...ways.map((of, index) => ({ of, most: most + (index + 1) * deeper * MOST_OF_WAY })),
  ]
  let runs: Crossed<typeof dimensions>[] = []
  for (const round of rounds) {
    const budget = runs.reduce((left, run) => left - limits.costOf(run), options.crossingCredits - costOfAll(alone))
    const more = crossed(round.of, { ...limits, known: [...known, ...runs], most: round.most - runs.length, budget })
    runs = [...runs, ...more]
  }
  const isHeld = ({ kind, way }: (typeof runs)[number]) => kind === 'slow' && way.startsWith('waits')
  const tooMany = runs.filter(isHeld).slice(options.depth * MOST_HELD)
  const made = runs
    .filter((run) => !tooMany.includes(run))
    .map(({ kind, way: _, receiver, key, ...run }, index, all) => ({
      ...run,
      target: inTurn(kinds.get(kind) ?? [], all.slice(0, index).filter((one) => one.kind === kind).length) ?? main,
      key: key === 'full' ? undefined : inTurn(names, index),
      receiver: receiver === 'rejects' ? (inTurn(REJECTIONS, index) ?? 'reject') : receiver,
      input: kind === 'failing' ? 'given' : (inTurn(INPUTS, index) ?? 'given'),
    }))
  return [...alone, ...made]
}

/** How a result is obtained, or that it is not: each of it is tried with every model before the rest is combined. */
const WAYS = ['waits', 'async', 'webhook', 'waits, cancelled', 'async, cancelled', 'webhook, cancelled'] as const

function wayOf({ sync, receiver, cancel }: Pick<RunPlan, 'sync' | 'cancel'> & { receiver: string }) {
  const index = receiver !== 'none' ? 2 : sync === false ? 1 : 0
  return WAYS[cancel === 'never' ? index : index + 3] ?? 'waits'
}

/** The id of a job that is waited for is not known before the end of the hold. */
function isKnownInTime({ kind, way, cancel }: { kind: string; way: string; cancel: RunPlan['cancel'] }): boolean {
  const isHeld = way === 'waits, cancelled'
  return isHeld === (cancel === 'after the hold') && (!isHeld || kind === 'slow')
}

/** Deliveries that are not accepted, of runs that certainly end. */
function unaccepted(target: ModelTarget, { seed, receiver }: ResolvedOptions): CrossedRun[] {
  if (receiver === undefined) return []
  const modes = [undefined, true, false]
  return (['reject', 'silent'] as const).map((behavior, index) => {
    const sync = inTurn(modes, Math.abs(seed) + index)
    return { ...PLAIN, target, key: undefined, sync, receiver: behavior }
  })
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

/** The input of a run. */
export function inputOf(target: ModelTarget, input: RunPlan['input']): Record<string, unknown> {
  if (input === 'given') return target.input
  return input === 'smallest' ? smallestInput(target) : largestInput(target)
}

/** Values that take turns; `undefined` where there are none. */
export function inTurn<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % values.length]
}
