/**
 * The switches for behaviour that the specification leaves open. Code that works with every setting works with
 * whatever the real service does.
 */
export interface Assumptions {
  /** Status code of the response to a run with `sync: false` (section 4.3). Default 202. */
  asyncRunStatus: 200 | 202
  /** What a run with both `sync: false` and `webhook_url` is at first (section 4.3). Default `queued`. */
  asyncRunWithWebhook: 'queued' | 'processing'
  /**
   * Status code of the response to a run whose job fails while it is held (section 4.3); 202: a response as if it went
   * on, and polling reads the failure. Default 502.
   */
  failedSyncRunStatus: number
  /** Body of that response: job_id, request_id, model_id, status and error, or an error alone. Default `job`. */
  failedSyncRunBody: 'job' | 'error'
  /** Response to a run whose job is cancelled while it is held: 200, or 409 with an error as well. Default 200. */
  cancelledSyncRunStatus: 200 | 409
  /** Status code of the job status while the job continues (section 4.4). Default 200. */
  unfinishedJobStatus: 200 | 202
  /** Status code of the response to a cancel (section 4.5). 204 has no body. Default 200. */
  cancelStatus: 200 | 202 | 204
  /**
   * Members of the response to a cancel, as JSON pointers, such as `/status`; none: no body. What the server knows nothing
   * of is `null`. Default `/data/job_id` and `/data/status`.
   */
  cancelFields: readonly string[]
  /** Whether the webhook of a cancelled job is called (section 6, rule 7). Default `none`. */
  cancelledJobWebhook: 'none' | 'sent'
  /** How often each result is delivered (section 6, rule 3). Default 1. */
  deliveriesOfOneResult: number
  /**
   * Members of the job status beyond status, output and error (section 2.4). What the server knows nothing of is `null`.
   * Default none.
   */
  jobFields: readonly string[]
  /** Whether output and error of a job status are left out or `null` where there is none. Default `left-out`. */
  absentJobFields: 'left-out' | 'null'
  /**
   * Members of responses to runs that section 4.3 does not name, each behind the status of the response, as in
   * `queued/created_at`. What the server knows nothing of is `null`. Default none.
   */
  runFields: readonly string[]
  /** What a run that fails is charged (section 2.1). Default `none`. */
  creditsOfFailedRun: 'none' | 'price'
  /** A `category` outside section 2.2 in the list of models: no results, all models, or a rejection. Default `empty`. */
  unknownCategory: 'empty' | 'all' | 'reject'
  /** Whether letter case counts in a search (section 4.1). Default `ignored`. */
  searchCase: 'ignored' | 'counts'
  /** Whether a search finds parts of words, or whole words only (section 4.1). Default `parts`. */
  searchWords: 'parts' | 'whole'
  /** Whether the slash of a model's id may stand in the path as it is (section 4.2). Default `served`. */
  plainSlashInPath: 'served' | 'unknown'
  /** Whether a run needs `jobs:write` ("create and cancel jobs") besides `models:run` (section 5). Default `false`. */
  runNeedsJobsWrite: boolean
  /** Whether a run with `webhook_url` needs `webhooks:manage` (section 5). Default `false`. */
  webhookNeedsManage: boolean
  /** Whether each response has an id of its request in the header `x-request-id` (section 2.4). Default `sent`. */
  requestIdHeader: 'sent' | 'none'
  /** How long a run with `sync: false` is `queued`, in milliseconds of the server's clock (section 3). Default 200. */
  queuedMs: number
  /** How requests are rejected (section 7). */
  rejections: Rejections
}

/** How a request is rejected: HTTP status and error code. */
interface Rejection {
  /** HTTP status of the response. */
  status: number
  /** Code of the error (section 7). */
  code: string
}

/** The response to a cancel that changes nothing. */
interface CancelRejection {
  /** HTTP status of the response. */
  status: number
  /** Code of the error (section 7); `null` with a status of success, where the response is not an error. */
  code: string | null
  /** Members of the response with a status of success, as JSON pointers. Default: those of `cancelFields`. */
  fields?: readonly string[] | undefined
}

/**
 * How requests are rejected that the specification says nothing of (section 7), or `'accepted'` where they are not. The
 * body is always that of section 7.
 */
export interface Rejections {
  /** `GET` of an unknown model. Default 404 NOT_FOUND. */
  unknownModel: Rejection
  /** A run of an unknown model. Default 404 NOT_FOUND. */
  unknownModelRun: Rejection
  /** `GET` of an unknown job, or one of another account. Default 404 NOT_FOUND. */
  unknownJob: Rejection
  /** A path that does not exist. Default 404 NOT_FOUND. */
  unknownPath: Rejection
  /** A body that is not JSON. Default 400 VALIDATION_ERROR. */
  brokenJson: Rejection
  /** A body that is not as section 4.3 says, such as one without `input`. Default 400 VALIDATION_ERROR. */
  invalidBody: Rejection
  /** Too few credits. Default 402 INSUFFICIENT_CREDITS. */
  insufficientCredits: Rejection
  /** A key that is used from outside its allowlist. Default 403 FORBIDDEN. */
  ipOutsideAllowlist: Rejection
  /** A `category` outside section 2.2, where `unknownCategory` is `reject`. Default 400 VALIDATION_ERROR. */
  unknownCategory: Rejection
  /** An `input` without a mandatory parameter. Accepted: the job fails. Default 400 VALIDATION_ERROR. */
  missingParameter: Rejection | 'accepted'
  /** An `input` with a value that the model does not allow. Accepted: the job fails. Default 400 VALIDATION_ERROR. */
  invalidInput: Rejection | 'accepted'
  /** An `input` with a parameter that the model does not have. Default 400 VALIDATION_ERROR. */
  unknownParameter: Rejection | 'accepted'
  /** A member of the body that section 4.3 does not name. Default 400 VALIDATION_ERROR. */
  unknownMember: Rejection | 'accepted'
  /** A `webhook_url` that is not http or https. Accepted: nothing is delivered. Default 400 VALIDATION_ERROR. */
  webhookScheme: Rejection | 'accepted'
  /** JSON of another content type. Default 415 UNSUPPORTED_MEDIA_TYPE. */
  otherContentType: Rejection | 'accepted'
  /** A query parameter that is not named. Default 400 VALIDATION_ERROR. */
  unknownQueryParameter: Rejection | 'accepted'
  /** A `limit` above 100 (section 8). Accepted: 100 instead. Default 400 VALIDATION_ERROR. */
  limitAboveMaximum: Rejection | 'accepted'
  /** `limit` or `offset` that is not an integer, or too small. Accepted: the default. Default 400 VALIDATION_ERROR. */
  invalidPage: Rejection | 'accepted'
  /** Cancel of an unknown job. Accepted: like a cancel, or with a status of its own. Default 404 NOT_FOUND. */
  cancelOfUnknownJob: CancelRejection | 'accepted'
  /** Cancel of a job that succeeded or failed (section 3). Accepted: nothing changes. Default 409 CONFLICT. */
  cancelOfFinishedJob: CancelRejection | 'accepted'
  /** Cancel of a cancelled job. Accepted: nothing changes. Default 409 CONFLICT. */
  cancelOfCancelledJob: CancelRejection | 'accepted'
}

/** What a request is rejected for. */
export type RejectionKind = keyof Rejections
