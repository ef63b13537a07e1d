import { JOB_STATUSES, JOB_TRANSITIONS, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { FAULT_KINDS } from '../../faults/fault-options.ts'
import type { Rejection, RejectionKind } from '../../assumptions/rejections.ts'

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
    codes: [...new Set([...CODES, ...codesOf(assumptions)])],
    transitions: ['queued', 'processing']
      .map((status) => transitionName(undefined, status))
      .concat(JOB_TRANSITIONS.map(({ from, to }) => transitionName(from, to))),
    webhooks: [...OUTCOMES, ...Object.values(WEBHOOK_ORDERS)],
    faults: FAULT_KINDS,
  }
}

function codesOf({ rejections: rejections }: Assumptions): string[] {
  return Object.values(rejections).flatMap((refusal) => (refusal === 'accepted' ? [] : (refusal.code ?? [])))
}

export function transitionName(from: string | undefined, to: string): string {
  return `${from ?? '(created)'} -> ${to}`
}

function answersOf(assumptions: Assumptions): string[] {
  const { unfinishedJobStatus, rejections: rejections } = assumptions
  const always = ['401 UNAUTHORIZED', '403 FORBIDDEN']
  const query = refusalsOf(assumptions, ['unknownQueryParameter'])
  const statusOf = (status: string) => (TERMINAL.includes(status) ? 200 : unfinishedJobStatus)
  const byRoute = {
    listModels: ['200', ...query, ...refusalsOf(assumptions, listKinds(assumptions)), ...always],
    getModel: ['200', ...query, textOf(rejections.unknownModel), ...always],
    runModel: [...runAnswers(assumptions), ...query, ...always],
    getJob: [
      ...JOB_STATUSES.map((status) => `${statusOf(status)} ${status}`),
      ...query,
      textOf(rejections.unknownJob),
      ...always,
    ],
    cancelJob: [...cancelAnswers(assumptions), ...query, ...always],
    getFile: ['200', '404 NOT_FOUND'],
  }
  return Object.entries(byRoute).flatMap(([route, answers]) =>
    [...new Set(answers)].map((answer) => `${route} ${answer}`),
  )
}

const TERMINAL: readonly string[] = TERMINAL_JOB_STATUSES

function listKinds({ unknownCategory }: Assumptions): RejectionKind[] {
  return ['limitAboveMaximum', 'oddPage', ...(unknownCategory === 'reject' ? (['unknownCategory'] as const) : [])]
}

/** The rejections of these kinds, but for what is accepted. */
function refusalsOf({ rejections: rejections }: Assumptions, kinds: readonly RejectionKind[]): string[] {
  return kinds.flatMap((kind) => {
    const refusal = rejections[kind]
    return refusal === 'accepted' || refusal.code === null ? [] : [textOf(refusal)]
  })
}

function textOf({ status, code }: Rejection): string {
  return `${status} ${code}`
}

function runAnswers(assumptions: Assumptions): string[] {
  const { asyncRunStatus, cancelledSyncRunStatus } = assumptions
  return [
    '200 completed',
    ...failedAnswers(assumptions),
    `${cancelledSyncRunStatus} cancelled`,
    '202 processing (held)',
    '202 processing (webhook)',
    `${asyncRunStatus} queued`,
    ...refusalsOf(assumptions, [
      ...(['brokenJson', 'invalidBody', 'unknownMember', 'webhookScheme', 'missingParameter', 'invalidInput'] as const),
      ...(['unknownParameter', 'insufficientCredits', 'unknownModelRun', 'otherContentType'] as const),
    ]),
    '413 PAYLOAD_TOO_LARGE',
  ]
}

function failedAnswers({ failedSyncRunStatus: status }: Assumptions): string[] {
  return status === 202 ? [] : [`${status} failed`]
}

function cancelAnswers(assumptions: Assumptions): string[] {
  const { cancelStatus, rejections: rejections } = assumptions
  const shown = (kind: 'cancelOfFinishedJob' | 'cancelOfCancelledJob', statuses: readonly string[]) => {
    const choice = rejections[kind]
    const status = choice === 'accepted' ? cancelStatus : choice.status
    return status < 300 ? statuses.map((word) => `${status} ${word}`) : refusalsOf(assumptions, [kind])
  }
  return [
    `${cancelStatus} cancelled`,
    ...shown('cancelOfFinishedJob', ['succeeded', 'failed']),
    ...shown('cancelOfCancelledJob', ['cancelled']),
    ...refusalsOf(assumptions, ['cancelOfUnknownJob']),
  ]
}
