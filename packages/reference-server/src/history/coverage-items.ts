import { JOB_STATUSES, JOB_TRANSITIONS, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Rejection, RejectionKind } from '../assumptions/rejections.ts'
import { SERVER_ERROR_CODES } from '../error-codes.ts'
import { FAULT_KINDS } from '../faults/fault-options.ts'
import type { FaultEndpoint } from '../faults/fault-route.ts'

/** The kinds of behaviour that are counted. */
export const COVERAGE_GROUPS = ['responses', 'codes', 'transitions', 'webhooks', 'faults'] as const

/**
 * - `responses`: the responses of each endpoint, by HTTP status and the job status or error code in the body
 * - `codes`: error codes that a client has seen, in an error response or of a failed job
 * - `transitions`: changes of a job's status (section 3)
 * - `webhooks`: outcomes of deliveries, and their order among responses, polls and other deliveries
 * - `faults`: kinds of injected faults
 */
export type CoverageGroup = (typeof COVERAGE_GROUPS)[number]

/** Outcomes of deliveries. */
const OUTCOMES = ['delivered', 'rejected', 'timeout', 'network_error']

/** Where deliveries stand among other things that happen to their job, and to other jobs of the account. */
export const WEBHOOK_ORDERS = {
  beforeResponse: 'before the response to the run',
  beforePoll: 'before a poll showed the end',
  afterPoll: 'after a poll showed the end',
  twice: 'more than once for a job',
  outOfOrder: 'after the delivery of a job that ended later',
  lost: 'never sent',
} as const

/** Everything that can be covered. What the assumptions switch off does not exist. */
export function coverageItems(assumptions: Assumptions): Readonly<Record<CoverageGroup, readonly string[]>> {
  return {
    responses: responsesOf(assumptions),
    codes: [...new Set([...Object.keys(SERVER_ERROR_CODES), ...codesOf(assumptions)])],
    transitions: ['queued', 'processing']
      .map((status) => transitionName(undefined, status))
      .concat(JOB_TRANSITIONS.map(({ from, to }) => transitionName(from, to))),
    webhooks: [...OUTCOMES, ...Object.values(WEBHOOK_ORDERS)],
    faults: FAULT_KINDS,
  }
}

function codesOf({ rejections }: Assumptions): string[] {
  return Object.values(rejections).flatMap((rejection) => (rejection === 'accepted' ? [] : (rejection.code ?? [])))
}

export function transitionName(from: string | undefined, to: string): string {
  return `${from ?? '(created)'} -> ${to}`
}

function responsesOf(assumptions: Assumptions): string[] {
  const { unfinishedJobStatus, rejections } = assumptions
  const always = ['401 UNAUTHORIZED', '403 FORBIDDEN']
  const query = rejectionsOf(assumptions, ['unknownQueryParameter'])
  const statusOf = (status: string) => (TERMINAL.includes(status) ? 200 : unfinishedJobStatus)
  const byRoute: Readonly<Record<FaultEndpoint, readonly string[]>> = {
    listModels: ['200', ...query, ...rejectionsOf(assumptions, listKinds(assumptions)), ...always],
    getModel: ['200', ...query, textOf(rejections.unknownModel), ...always],
    runModel: [...runResponses(assumptions), ...query, ...always],
    getJob: [
      ...JOB_STATUSES.map((status) => `${statusOf(status)} ${status}`),
      ...query,
      textOf(rejections.unknownJob),
      ...always,
    ],
    cancelJob: [...cancelResponses(assumptions), ...query, ...always],
    getFile: ['200', '404 NOT_FOUND'],
  }
  return Object.entries(byRoute).flatMap(([route, responses]) =>
    [...new Set(responses)].map((response) => `${route} ${response}`),
  )
}

const TERMINAL: readonly string[] = TERMINAL_JOB_STATUSES

function listKinds({ unknownCategory }: Assumptions): RejectionKind[] {
  return ['limitAboveMaximum', 'invalidPage', ...(unknownCategory === 'reject' ? (['unknownCategory'] as const) : [])]
}

/** The rejections of these kinds, but for what is accepted. */
function rejectionsOf({ rejections }: Assumptions, kinds: readonly RejectionKind[]): string[] {
  return kinds.flatMap((kind) => {
    const rejection = rejections[kind]
    return rejection === 'accepted' || rejection.code === null ? [] : [textOf(rejection)]
  })
}

function textOf({ status, code }: Rejection): string {
  return `${status} ${code}`
}

function runResponses(assumptions: Assumptions): string[] {
  const { asyncRunStatus, cancelledSyncRunStatus } = assumptions
  return [
    '200 completed',
    ...failedResponses(assumptions),
    `${cancelledSyncRunStatus} cancelled`,
    '202 processing (held)',
    '202 processing (webhook)',
    `${asyncRunStatus} queued`,
    ...rejectionsOf(assumptions, [
      ...(['brokenJson', 'invalidBody', 'unknownMember', 'webhookScheme', 'missingParameter', 'invalidInput'] as const),
      ...(['unknownParameter', 'insufficientCredits', 'unknownModelRun', 'otherContentType'] as const),
    ]),
    '413 PAYLOAD_TOO_LARGE',
  ]
}

function failedResponses({ failedSyncRunStatus: status }: Assumptions): string[] {
  return status === 202 ? [] : [`${status} failed`]
}

function cancelResponses(assumptions: Assumptions): string[] {
  const { cancelStatus, rejections } = assumptions
  const shown = (kind: 'cancelOfFinishedJob' | 'cancelOfCancelledJob', statuses: readonly string[]) => {
    const choice = rejections[kind]
    const status = choice === 'accepted' ? cancelStatus : choice.status
    return status < 300 ? statuses.map((word) => `${status} ${word}`) : rejectionsOf(assumptions, [kind])
  }
  return [
    `${cancelStatus} cancelled`,
    ...shown('cancelOfFinishedJob', ['succeeded', 'failed']),
    ...shown('cancelOfCancelledJob', ['cancelled']),
    ...rejectionsOf(assumptions, ['cancelOfUnknownJob']),
  ]
}
