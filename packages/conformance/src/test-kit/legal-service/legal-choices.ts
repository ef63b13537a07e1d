/** A rejection: HTTP status and error code. */
export interface Refusal {
  status: number
  code: string
}

const refuse = (status: number, code: string): Refusal => ({ status, code })

/**
 * Every point that the specification leaves open, with legitimate values. The first is the default. The section that is
 * silent, or that allows all of them, stands in front of each group.
 */
export const LEGAL_CHOICES = {
  // 4.1, 4.2, 9: the list and the details
  modelCount: [12, 142, 1],
  modelIds: ['plain', 'odd'],
  modelStatus: ['active', 'mixed'],
  descriptions: ['own', 'same', 'empty'],
  searchMatch: ['substring', 'case-sensitive', 'words', 'fuzzy'],
  searchOrder: ['catalog', 'relevance'],
  unknownCategory: ['empty', 'ignored', refuse(400, 'INVALID_CATEGORY'), refuse(422, 'UNPROCESSABLE')],
  limitAbove: ['clamped', refuse(400, 'INVALID_LIMIT'), refuse(422, 'UNPROCESSABLE')],
  badPage: ['defaults', refuse(400, 'INVALID_PAGE'), refuse(422, 'UNPROCESSABLE')],
  unknownQuery: ['accepted', refuse(400, 'UNKNOWN_PARAMETER')],
  plainSlash: ['served', refuse(404, 'NO_SUCH_PATH')],
  withoutVersion: [refuse(404, 'NO_SUCH_PATH'), 'served', 'redirected'],
  // 2.3: "JSON-schema-like"; a description "may hold" its members
  typeForm: ['text', 'array', 'absent'],
  // 7: codes and statuses that are not shown
  unknownModel: [
    refuse(404, 'NOT_FOUND'),
    refuse(404, 'MODEL_NOT_FOUND'),
    refuse(410, 'GONE'),
    refuse(400, 'BAD_MODEL'),
  ],
  unknownModelRun: [refuse(404, 'NOT_FOUND'), refuse(404, 'MODEL_NOT_FOUND'), refuse(422, 'BAD_MODEL')],
  unknownJob: [refuse(404, 'NOT_FOUND'), refuse(404, 'JOB_NOT_FOUND'), refuse(403, 'NOT_YOURS')],
  cancelOfUnknown: [refuse(404, 'NOT_FOUND'), 204, 200, refuse(410, 'GONE')],
  invalidInput: [
    refuse(400, 'VALIDATION_ERROR'),
    refuse(422, 'INVALID_INPUT'),
    refuse(409, 'BAD_INPUT'),
    'fails-later',
  ],
  missingInput: [refuse(400, 'VALIDATION_ERROR'), refuse(422, 'MISSING_INPUT')],
  brokenJson: [refuse(400, 'VALIDATION_ERROR'), refuse(422, 'BAD_JSON')],
  otherContentType: ['accepted', refuse(415, 'UNSUPPORTED_MEDIA_TYPE'), refuse(400, 'BAD_CONTENT_TYPE')],
  unknownMember: ['accepted', refuse(400, 'UNKNOWN_MEMBER')],
  unknownParameter: ['accepted', refuse(400, 'VALIDATION_ERROR'), refuse(422, 'INVALID_INPUT')],
  webhookScheme: [refuse(400, 'BAD_WEBHOOK'), refuse(422, 'INVALID_URL'), 'accepted'],
  noCredits: [refuse(402, 'INSUFFICIENT_CREDITS'), refuse(403, 'QUOTA'), refuse(429, 'BALANCE_EXHAUSTED')],
  blockedAddress: [refuse(403, 'FORBIDDEN'), refuse(401, 'UNAUTHORIZED')],
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
  creditsOfFailed: ['free', 'charged'],
  // 3, 4.5: cancels
  cancelStatus: [200, 202, 204],
  cancelBody: ['data', 'flat', 'message', 'empty'],
  cancelTakesMs: [0, 3_000],
  cancelOfFinished: [refuse(409, 'CONFLICT'), refuse(400, 'JOB_FINISHED'), 200, 204],
  secondCancel: [refuse(409, 'CONFLICT'), refuse(404, 'NOT_FOUND'), 200, 204],
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
} as const

/** One value for every open point. */
export type LegalChoices = { [Name in keyof typeof LEGAL_CHOICES]: (typeof LEGAL_CHOICES)[Name][number] }

export function isRefusal(value: unknown): value is Refusal {
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
