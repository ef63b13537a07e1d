import { chance } from './chance.ts'

/** How one attempt of a handler ends. */
type Outcome =
  | 'works'
  | 'throws'
  | 'throws after its work'
  /** Never ends by itself. */
  | 'hangs'
  /** Does its work when its time is over. */
  | 'is late'
  /** `kill -9`: before its work, after it, or when the inbox notes the end. */
  | 'dies first'
  | 'dies after its work'
  | 'dies at its end'
  /** `NonRetriableError`, each time. */
  | 'gives up'

const PERMANENT = 0.03

/** Parts of all runs, one after the other. */
const PARTS: [Outcome, number][] = [
  ['throws', 0.08],
  ['throws after its work', 0.07],
  ['hangs', 0.02],
  ['is late', 0.03],
  ['dies first', 0.02],
  ['dies after its work', 0.02],
  ['dies at its end', 0.02],
]

/** A job that ends its process each time is a test of its own: here it does so twice at most. */
const LAST_DEADLY_ATTEMPT = 2

/** Whether the handler of a job fails for good. */
export function isHopeless(seed: number, job: string): boolean {
  return chance(seed, 'permanent', job) < PERMANENT
}

export function outcomeOf(seed: number, { job, attempt }: { job: string; attempt: number }): Outcome {
  if (isHopeless(seed, job)) return 'gives up'
  let draw = chance(seed, 'result', job, attempt)
  for (const [outcome, part] of PARTS) {
    draw -= part
    if (draw < 0) return outcome.startsWith('dies') && attempt > LAST_DEADLY_ATTEMPT ? 'works' : outcome
  }
  return 'works'
}
