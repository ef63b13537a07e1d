/** A rejection: HTTP status and error code. */
export interface Rejection {
  status: number
  code: string
}

const reject = (status: number, code: string): Rejection => ({ status, code })

/**
 * Every point that the specification leaves open, with legitimate values. The first is the default. The section that is
 * silent, or that allows all of them, stands in front of each group.
 */
export const LEGAL_CHOICES = {
  // 4.1, 4.2: the list and the details
  modelCount: [12, 142, 1],
  modelIds: ['plain', 'special'],
  modelStatus: ['active', 'mixed'],
  descriptions: ['own', 'same', 'empty'],
  searchMatch: ['substring', 'case-sensitive', 'words', 'fuzzy'],
  searchOrder: ['catalog', 'relevance'],
  limitAbove: ['clamped', reject(400, 'INVALID_LIMIT'), reject(422, 'UNPROCESSABLE')],
  // 2.3: "JSON-schema-like"; a description "may hold" its members
  typeForm: ['text', 'array', 'absent'],
  // 7: codes and statuses that are not shown
  unknownModel: [
    reject(404, 'NOT_FOUND'),
    reject(404, 'MODEL_NOT_FOUND'),
    reject(410, 'GONE'),
    reject(400, 'BAD_MODEL'),
  ],
  unknownModelRun: [reject(404, 'NOT_FOUND'), reject(404, 'MODEL_NOT_FOUND'), reject(422, 'BAD_MODEL')],
  unknownJob: [reject(404, 'NOT_FOUND'), reject(404, 'JOB_NOT_FOUND'), reject(403, 'NOT_YOURS')],
  cancelOfUnknown: [reject(404, 'NOT_FOUND'), 204, 200, reject(410, 'GONE')],
  invalidInput: [
    reject(400, 'VALIDATION_ERROR'),
    reject(422, 'INVALID_INPUT'),
    reject(409, 'BAD_INPUT'),
    'fails-later',
  ],
  missingInput: [reject(400, 'VALIDATION_ERROR'), reject(422, 'MISSING_INPUT')],
  noCredits: [reject(402, 'INSUFFICIENT_CREDITS'), reject(403, 'QUOTA')],
  // 5.7: which endpoint needs which permission
  runNeedsJobsWrite: [false, true],
  webhookNeedsManage: [false, true],
  // 4.3: responses to runs
  asyncStatus: [202, 200],
  asyncWithWebhook: ['queued', 'processing'],
  failedSync: [502, 200, 202, 500, 422],
  failedSyncBody: ['job', 'error-only'],
  pollMessage: ['path', 'word', 'sentence'],
  // 2.4, 2.5, 3, 4.4: jobs
  queuedMs: [200, 0, 3_000, 20_000],
  unfinishedStatus: [200, 202],
  jobFields: ['none', 'few', 'many'],
  absent: ['left-out', 'null'],
  items: ['one', 'three', 'none'],
  outputType: ['image', 'file'],
  fileUrls: ['plain', 'signed', 'data', 'storage'],
  fileAccess: ['public', 'needs-key'],
  creditsOfFailed: ['free', 'charged', 'refunded'],
  // 3, 4.5: cancels
  cancelStatus: [200, 202, 204],
  cancelBody: ['data', 'flat', 'message', 'empty'],
  cancelTakesMs: [0, 3_000],
  cancelOfFinished: [reject(409, 'CONFLICT'), reject(400, 'JOB_FINISHED'), 200, 204],
  secondCancel: [reject(409, 'CONFLICT'), reject(404, 'NOT_FOUND'), 200, 204],
  // 6: deliveries
  duplicates: [1, 2, 3],
  cancelledWebhook: ['none', 'sent'],
  deliveryHeaders: ['none', 'signed'],
  completedAt: ['milliseconds', 'seconds', 'offset', 'basic'],
  // 8: rate limits; and everywhere: members, headers and media types that are not named
  rateLimit: ['none', 'seconds', 'date'],
  extraMembers: ['none', 'everywhere'],
  requestIdHeader: ['none', 'sent'],
  contentType: ['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'],
  // At the end, as each point takes the next random number.
  // 2.3: seeds of 64 bits; what reads them as doubles takes their neighbours too
  seedBounds: ['none', 'int64', 'uint64', 'rounded'],
  // 3, 7: each so many jobs of any model fail at the provider
  providerFails: ['never', 'seventh', 'third', 'always'],
  // 6, rule 5
  plainHttpWebhook: ['accepted', reject(422, 'HTTPS_REQUIRED'), reject(400, 'BAD_WEBHOOK')],
  // 3: the cancel of a finished job is not shown
  finishedIsCancelled: [false, true],
  // 1: when a charge shows is not stated
  ledgerDelayMs: [0, 4_000],
  // 4.3: members of responses to runs that are not named
  runFields: ['none', 'few', 'many'],
  // 1: any service fails now and then; a read does nothing, so it can be sent again
  readsFail: ['never', 'fiftieth'],
  // 2.4: members of the job status that are not named; the clock of a service need not be right
  jobTimes: ['none', 'shown', 'of a clock 3 h ahead'],
  // 5.7: a run may need models:read as well
  runNeedsModelsRead: [false, true],
  // 2.5: how long a file stays there is not stated
  filesLastMs: [Number.MAX_SAFE_INTEGER, 15_000],
  // 1: when a refund shows is not stated; it is one of what failed, or of what was taken at the start and cancelled
  refundMs: [40_000, 200_000],
  takenAtStart: [false, true],
  // 5: which of two mistakes is found first is not stated
  foundFirst: ['key', 'body'],
  // 7: what an error holds beside code and message
  errorMembers: ['none', 'of all', 'of mistakes'],
  // 7: the code of a run that is waited for and fails, where its response is an error alone
  failedSyncCode: ['PROVIDER_FAILURE', 'RUN_FAILED', 'RUN_FAILED of a job'],
} as const

/** One value for every open point. */
export type LegalChoices = { [Name in keyof typeof LEGAL_CHOICES]: (typeof LEGAL_CHOICES)[Name][number] }

export function isRejection(value: unknown): value is Rejection {
  return typeof value === 'object' && value !== null && 'code' in value
}

/** The first value of every point, but for these. */
export function legalChoices(chosen: Partial<LegalChoices> = {}): LegalChoices {
  return { ...pickEach((values) => values[0]), ...chosen }
}

/** A value of every point, by a function that picks. */
export function pickEach(pick: (values: readonly unknown[]) => unknown): LegalChoices {
  // Every name of the table, each with one of its own values.
  return Object.fromEntries(Object.entries(LEGAL_CHOICES).map(([name, values]) => [name, pick(values)])) as LegalChoices
}
