import { JOB_STATUSES, JOB_TRANSITIONS, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import type { Assumptions } from '../assumptions.ts'
import { FAULT_KINDS } from '../faults/fault-options.ts'

/** The kinds of behaviour that are counted. */
export const COVERAGE_GROUPS = ['answers', 'codes', 'transitions', 'webhooks', 'faults'] as const

/**
 * - `answers`: what each endpoint can answer, by HTTP status and the job status or error code in the body
 * - `codes`: error codes that a client has seen, in a refusal or of a failed job
 * - `transitions`: changes of a job's status (section 3)
 * - `webhooks`: what came of deliveries, and their order among answers, polls and other deliveries
 * - `faults`: kinds of faults that struck
 */
export type CoverageGroup = (typeof COVERAGE_GROUPS)[number]

const CODES = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'VALIDATION_ERROR',
  'INSUFFICIENT_CREDITS',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
  'PROVIDER_FAILURE',
]

/** What came of deliveries. */
const OUTCOMES = ['delivered', 'rejected', 'timeout', 'network_error']

/** Where deliveries stand among other things that happen to their job, and to other jobs of the account. */
export const WEBHOOK_ORDERS = {
  beforeAnswer: 'before the answer to the run',
  beforePoll: 'before a poll showed the end',
  afterPoll: 'after a poll showed the end',
  twice: 'more than once for a job',
  outOfOrder: 'after the delivery of a job that ended later',
  lost: 'never sent',
} as const

/** Everything that can be covered. What the assumptions switch off does not exist. */
export function coverageItems(assumptions: Assumptions): Readonly<Record<CoverageGroup, readonly string[]>> {
  return {
    answers: answersOf(assumptions),
    codes: CODES,
    transitions: ['queued', 'processing']
      .map((status) => transitionName(undefined, status))
      .concat(JOB_TRANSITIONS.map(({ from, to }) => transitionName(from, to))),
    webhooks: [...OUTCOMES, ...Object.values(WEBHOOK_ORDERS)],
    faults: FAULT_KINDS,
  }
}

export function transitionName(from: string | undefined, to: string): string {
  return `${from ?? '(created)'} -> ${to}`
}

function answersOf(assumptions: Assumptions): string[] {
  const always = ['401 UNAUTHORIZED', '403 FORBIDDEN']
  const byRoute = {
    listModels: ['200', '400 VALIDATION_ERROR', ...always],
    getModel: ['200', '400 VALIDATION_ERROR', '404 NOT_FOUND', ...always],
    runModel: [...runAnswers(assumptions), ...always],
    getJob: [...JOB_STATUSES.map((status) => `200 ${status}`), '400 VALIDATION_ERROR', '404 NOT_FOUND', ...always],
    cancelJob: [...cancelAnswers(assumptions), '400 VALIDATION_ERROR', '404 NOT_FOUND', ...always],
    getFile: ['200', '404 NOT_FOUND'],
  }
  return Object.entries(byRoute).flatMap(([route, answers]) => answers.map((answer) => `${route} ${answer}`))
}

function runAnswers(assumptions: Assumptions): string[] {
  const { asyncRunStatus, failedSyncRunStatus, cancelledSyncRunStatus, invalidInputStatus } = assumptions
  return [
    '200 completed',
    `${failedSyncRunStatus} failed`,
    `${cancelledSyncRunStatus} cancelled`,
    '202 processing (held)',
    '202 processing (webhook)',
    `${asyncRunStatus} queued`,
    '400 VALIDATION_ERROR',
    ...(invalidInputStatus === 400 ? [] : [`${invalidInputStatus} VALIDATION_ERROR`]),
    '402 INSUFFICIENT_CREDITS',
    '404 NOT_FOUND',
    '413 PAYLOAD_TOO_LARGE',
    '415 UNSUPPORTED_MEDIA_TYPE',
  ]
}

function cancelAnswers({ cancelAnswer, cancelOfFinishedJob }: Assumptions): string[] {
  const status = cancelAnswer === 'empty' ? 204 : 200
  if (cancelOfFinishedJob === 'conflict') return [`${status} cancelled`, '409 CONFLICT']
  return TERMINAL_JOB_STATUSES.map((shown) => `${status} ${shown}`)
}
