import type { JsonValue } from './json.ts'

/** How a request is rejected: HTTP status and error code. */
export interface ProfileRejection {
  /** HTTP status. */
  status: number
  /** Code of the error (section 7). */
  code: string
}

/** The same, of a cancel that changes nothing: a status of success has no code. */
export interface ProfileCancel {
  /** HTTP status. */
  status: number
  /** Code of the error (section 7), `null` where it is none. */
  code: string | null
  /** Members of the response with a status of success, as JSON pointers. */
  fields?: string[]
}

type AlwaysRejected =
  | ('unknownModel' | 'unknownModelRun' | 'unknownJob' | 'unknownPath' | 'brokenJson' | 'invalidBody')
  | ('insufficientCredits' | 'ipOutsideAllowlist' | 'unknownCategory')
type MaybeAccepted =
  | ('missingParameter' | 'invalidInput' | 'unknownParameter' | 'unknownMember' | 'webhookScheme')
  | ('otherContentType' | 'unknownQueryParameter' | 'limitAboveMaximum' | 'invalidPage')
type IneffectiveCancel = 'cancelOfUnknownJob' | 'cancelOfFinishedJob' | 'cancelOfCancelledJob'

/**
 * How a service behaves where the specification is silent, in the names and values of the reference server's
 * assumptions. What was not observed is left out; what was observed and cannot be applied is in `notApplied` of the report.
 */
export interface ServiceProfile {
  /** HTTP status of the response to a run with `sync: false` (section 4.3). */
  asyncRunStatus?: 200 | 202
  /** What a run with `sync: false` and `webhook_url` is at first (section 4.3). */
  asyncRunWithWebhook?: 'queued' | 'processing'
  /** HTTP status of the response to a run whose job fails while the run is held (section 4.3). */
  failedSyncRunStatus?: number
  /** Whether that response has the job, or an error alone (section 4.3). */
  failedSyncRunBody?: 'job' | 'error'
  /** HTTP status of the job status while the job continues (section 4.4). */
  unfinishedJobStatus?: 200 | 202
  /** HTTP status of the response to a cancel (section 4.5). */
  cancelStatus?: 200 | 202 | 204
  /** Members of the response to a cancel, as JSON pointers; none: no body (section 4.5). */
  cancelFields?: string[]
  /** Whether the webhook of a cancelled job is sent (section 6, rule 7). */
  cancelledJobWebhook?: 'none' | 'sent'
  /** How often a result is delivered (section 6, rule 3). */
  deliveriesOfOneResult?: number
  /** Members of the job status beside `status`, `output` and `error` (section 2.4). */
  jobFields?: string[]
  /** Whether output and error are `null` or left out where there is none (section 2.4). */
  absentJobFields?: 'left-out' | 'null'
  /** Members of responses to runs that section 4.3 does not name, each behind the status, as in `queued/created_at`. */
  runFields?: string[]
  /** What a run that fails is charged (section 2.1). */
  creditsOfFailedRun?: 'none' | 'price'
  /** What the list of models does with a `category` outside section 2.2. */
  unknownCategory?: 'empty' | 'all' | 'reject'
  /** Whether letter case counts in a search (section 4.1). */
  searchCase?: 'ignored' | 'counts'
  /** Whether a search finds parts of words (section 4.1). */
  searchWords?: 'parts' | 'whole'
  /** Whether an id with a slash may stand in the path as it is (section 4.2). */
  plainSlashInPath?: 'served' | 'unknown'
  /** Whether a run needs the permission `jobs:write` besides `models:run` (section 5). */
  runNeedsJobsWrite?: boolean
  /** Whether a run with `webhook_url` needs the permission `webhooks:manage` (section 5). */
  webhookNeedsManage?: boolean
  /** Whether responses have the header `x-request-id`. */
  requestIdHeader?: 'sent' | 'none'
  /** How long a run with `sync: false` was `queued`, in milliseconds (section 3). */
  queuedMs?: number
  /** How requests are rejected, and which are accepted (section 7). */
  rejections?: { [Kind in AlwaysRejected]?: ProfileRejection } & {
    [Kind in MaybeAccepted]?: ProfileRejection | 'accepted'
  } & { [Kind in IneffectiveCancel]?: ProfileCancel | 'accepted' }
}

/** Something that was observed and that the reference server does not do. */
export interface NotApplied {
  /** Name of the observation. */
  name: string
  /** What was observed. */
  observed: JsonValue
  /** What the reference server does instead. */
  reason: string
}
