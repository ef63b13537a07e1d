import { LIMITS } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at, show } from '../json.ts'
import { hasCount, hasStatus, hasText, hasValue, refusalOf, refusalText } from '../judge/answers.ts'
import { every, type Finding, judge, observe } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { jobStatus } from '../session/jobs.ts'
import {
  asyncRun,
  defaultRun,
  failingRun,
  heldJob,
  heldRun,
  type Run,
  startedSlowRun,
  syncRun,
  unknownModelRun,
} from './runs-scenarios.ts'

/** "About 55 s" with room for a slow network and for a service that counts from another moment. */
const SHORTEST_HOLD_MS = LIMITS.syncWaitMs - 10_000
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 15_000
/** "At once", for a service on the other side of the world. */
const AT_ONCE_MS = 10_000

/** The specification gives no wording: polling, the path, or the status of a job in one order or the other. */
const TELLS_TO_POLL = /poll|\/jobs\b|\bjob\b.*\bstatus\b|\bstatus\b.*\bjob\b/i

/** Runs: synchronous, asynchronous, held (sections 3, 4.3 and 8). */
export const RUNS_CHECKS: readonly Check[] = [
  check('runs/default-waits', defaultRun, ({ answer }) => hasStatus(answer, 200)),
  check('runs/sync-waits', syncRun, ({ answer }) => isCompleted(answer)),
  check('runs/completed-job-id', defaultRun, ({ answer }) => hasText(answer, '/job_id')),
  check('runs/completed-request-id', defaultRun, ({ answer }) => hasText(answer, '/request_id')),
  check('runs/completed-status', defaultRun, ({ answer }) => hasValue(answer, '/status', 'completed')),
  check('runs/completed-model-id', defaultRun, ({ answer, target }) => hasValue(answer, '/model_id', target.modelId)),
  check('runs/completed-output', defaultRun, ({ answer }) => hasOutput(answer, '/output')),
  check('runs/completed-duration', defaultRun, ({ answer }) => hasCount(answer, '/duration_ms')),
  check('runs/credits-are-the-price', defaultRun, ({ answer, target }) =>
    hasValue(answer, '/credits_used', target.creditsPerRun),
  ),
  check('runs/async-accepted', asyncRun, ({ answer }) => hasStatus(answer, 200, 202)),
  check('runs/async-status-code', asyncRun, ({ answer }) => observe(answer.status, `status ${answer.status}`, answer)),
  check('runs/async-identity', asyncRun, hasIdentity),
  check('runs/async-status', asyncRun, ({ answer }) => hasValue(answer, '/status', 'queued')),
  check('runs/async-at-once', startedSlowRun, (answer) =>
    judge(answer.durationMs < AT_ONCE_MS, `answered after ${Math.round(answer.durationMs)} ms`, answer),
  ),
  check('runs/held-status-code', heldRun, ({ answer }) => hasStatus(answer, 202)),
  check('runs/held-time', heldRun, ({ answer }) => heldLongEnough(answer)),
  check('runs/held-identity', heldRun, hasIdentity),
  check('runs/held-status', heldRun, ({ answer }) => hasValue(answer, '/status', 'processing')),
  check('runs/held-message', heldRun, ({ answer }) => tellsToPoll(answer)),
  check('runs/held-result-by-polling', heldJob, ({ watch }) => {
    const status = jobStatus(watch.last)
    return judge(status === 'succeeded', `the job that was held ended ${show(status)}`, [...watch.reads.slice(-1)])
  }),
  check('runs/failed-answer', failingRun, ({ answer }) =>
    observe(answer.status, `${refusalText(answer)}, /status ${show(at(answer.json, '/status'))}`, answer),
  ),
  check('runs/unknown-model', unknownModelRun, (answer) => observe(refusalOf(answer), refusalText(answer), answer)),
]

/** Judges the ids of job, request and model that every answer to a run holds. */
export function hasIdentity({ answer, target }: Run): Finding {
  const ids = [hasText(answer, '/job_id'), hasText(answer, '/request_id')]
  return every([...ids, hasValue(answer, '/model_id', target.modelId)])
}

function isCompleted(answer: Answer): Finding {
  const status = at(answer.json, '/status')
  const isRight = answer.status === 200 && status === 'completed'
  return judge(isRight, `status ${answer.status}, /status ${show(status)}; expected 200 and completed`, answer)
}

function heldLongEnough(answer: Answer): Finding {
  const isRight = answer.durationMs >= SHORTEST_HOLD_MS && answer.durationMs <= LONGEST_HOLD_MS
  return judge(isRight, `held for ${Math.round(answer.durationMs)} ms; expected about ${LIMITS.syncWaitMs}`, answer)
}

/** Judges the message that tells to poll the job's status. */
export function tellsToPoll(answer: Answer): Finding {
  const message = at(answer.json, '/message')
  const isRight = typeof message === 'string' && TELLS_TO_POLL.test(message)
  return judge(isRight, `/message is ${show(message)}; expected a text that tells to poll the job`, answer)
}
