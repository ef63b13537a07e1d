import { type Assumptions, DEFAULT_ASSUMPTIONS } from '@modelrun/reference-server'
import { type OpenConnection, openInProcess } from './transports.ts'

/** For each behaviour that the specification leaves open, what the server does instead of its default. */
export const OTHER_BEHAVIOUR: Assumptions = {
  checkOrder: ['runModel', 'body'],
  asyncRunStatus: 200,
  asyncRunWithWebhook: 'processing',
  failedSyncRunStatus: 200,
  // Not `error`: the client takes an error that names no job for a failure of the service.
  failedSyncRunBody: 'job',
  cancelledSyncRunStatus: 409,
  unfinishedJobStatus: 202,
  cancelStatus: 204,
  cancelFields: ['/data/status'],
  cancelledJobWebhook: 'sent',
  deliveriesOfOneResult: 2,
  deliveryFields: ['succeeded/model_id', 'failed/model_id'],
  jobFields: ['job_id', 'request_id', 'model_id', 'created_at', 'completed_at', 'duration_ms', 'credits_used'],
  memberValues: { created_at: 1_700_000_000, eta_ms: 400, 'queued/completed_at': null },
  listMembers: { more: { has_more: true }, last: { has_more: false }, entries: { tags: [] }, details: { tags: [] } },
  absentJobFields: 'null',
  runFields: [
    'completed/credits_remaining',
    'queued/message',
    'processing/created_at',
    'failed/eta_ms',
    'cancelled/id',
  ],
  creditsOfFailedRun: 'price',
  whenCharged: 'start',
  unknownCategory: 'reject',
  // Not `counts`: then a client has to know how names are written.
  searchCase: 'ignored',
  searchWords: 'whole',
  plainSlashInPath: 'unknown',
  trailingSlash: 'served',
  headRequests: 'rejected',
  bearerCase: 'counts',
  runNeedsJobsWrite: true,
  webhookNeedsManage: true,
  requestIdHeader: 'none',
  queuedMs: 0,
  errorMembers: {
    requests: { error: { details: [] }, path: '/v1' },
    forbidden: {},
    jobs: { error: { provider: 'x' } },
    runs: { error: { provider: 'x' } },
    deliveries: { error: { provider: 'x' } },
  },
  rejections: {
    ...DEFAULT_ASSUMPTIONS.rejections,
    missingParameter: { status: 422, code: 'VALIDATION_ERROR' },
    invalidInput: { status: 422, code: 'VALIDATION_ERROR' },
    unknownParameter: { status: 422, code: 'VALIDATION_ERROR' },
    limitAboveMaximum: 'accepted',
    cancelOfFinishedJob: 'accepted',
    cancelOfCancelledJob: 'accepted',
  },
}

/** The service as it may be too: with each behaviour in turn, and with all of them. What works there works anywhere. */
export const VARIANTS: readonly { name: string; open: OpenConnection }[] = [
  ...Object.entries(OTHER_BEHAVIOUR).map(([name, value]) =>
    variant(`${name}: ${JSON.stringify(value)}`, { [name]: value }),
  ),
  variant('every other behaviour', OTHER_BEHAVIOUR),
]

function variant(name: string, assumptions: Partial<Assumptions>): { name: string; open: OpenConnection } {
  return { name: `a service with ${name}`, open: (options) => openInProcess({ ...options, assumptions }) }
}
