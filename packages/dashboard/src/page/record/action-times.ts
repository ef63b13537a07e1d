import type { JobRow } from '../data/wire.ts'
import type { Recorded } from './record.ts'

type JobOf = (id: string) => JobRow | undefined

/**
 * When each action was done, on the server's clock. The server knows it of what concerns a job or the clock; of the rest
 * the page knows it roughly, and at a thousand times real time not at all: it was not after the next one that is known.
 */
export function actionTimes(actions: readonly Recorded[], jobOf: JobOf): number[] {
  const times: number[] = []
  let latest = Number.POSITIVE_INFINITY
  for (const action of actions.toReversed()) {
    const known = knownTime(action, jobOf)
    times.push(known ?? Math.min(action.atMs, latest))
    // A snapshot may go back in time: what comes after it says nothing about what was before.
    latest = action.kind === 'restore' ? Number.POSITIVE_INFINITY : (known ?? latest)
  }
  return times.reverse()
}

function knownTime(action: Recorded, jobOf: JobOf): number | undefined {
  switch (action.kind) {
    case 'run':
      return action.jobId === undefined ? undefined : jobOf(action.jobId)?.created_at_ms
    case 'complete':
    case 'fail':
    case 'cancel':
      return jobOf(action.jobId)?.ended_at_ms
    case 'step':
    case 'scale':
    case 'snapshot':
    case 'restore':
      return action.atMs
    default:
      return undefined
  }
}
