import * as z from 'zod/mini'

/**
 * The switches for behaviour that the specification leaves open. Code that works with every setting works with
 * whatever the real service does.
 */
export interface Assumptions {
  /** Status code of the answer to a run with `sync: false` (section 4.3). Default 202. */
  asyncRunStatus: 200 | 202
  /** Answer to a run whose job fails while it is held (section 4.3): the code; the body is the same. Default 502. */
  failedSyncRunStatus: 200 | 502
  /** Answer to a run whose job is cancelled while it is held: 200, or 409 with an error as well. Default 200. */
  cancelledSyncRunStatus: 200 | 409
  /** Answer to a cancel (section 4.5): 200 with `{ data: { job_id, status } }`, or 204 without a body. Default `body`. */
  cancelAnswer: 'body' | 'empty'
  /** Cancel of a finished job (section 3): 409 CONFLICT, or an answer that shows the state as it is. Default `conflict`. */
  cancelOfFinishedJob: 'conflict' | 'unchanged'
  /** Whether the webhook of a cancelled job is called (section 6, rule 7). Default `none`. */
  cancelledJobWebhook: 'none' | 'sent'
  /** Members of the job status beyond status, output and error (section 2.4). Default `minimal`. */
  jobFields: 'minimal' | 'full'
  /** Status code for an `input` that the model's schema does not allow (section 7). Default 400. */
  invalidInputStatus: 400 | 422
  /** A `category` outside section 2.2 in the list of models: no results, or a 400. Default `empty`. */
  unknownCategory: 'empty' | 'reject'
  /** A `limit` above 100 (section 8): a 400, or 100 instead. Default `reject`. */
  limitAboveMaximum: 'reject' | 'clamp'
  /** Whether a run needs `jobs:write` ("create and cancel jobs") besides `models:run` (section 5). Default `false`. */
  runNeedsJobsWrite: boolean
  /** Whether each response has an id of its request in the header `x-request-id` (section 2.4). Default `sent`. */
  requestIdHeader: 'sent' | 'none'
  /** How long a run with `sync: false` is `queued`, in milliseconds of the server's clock (section 3). Default 200. */
  queuedMs: number
}

/** Some of the switches; what is left out keeps its default. */
export type AssumptionOptions = { [Name in keyof Assumptions]?: Assumptions[Name] | undefined }

/** The setting of every switch unless the option `assumptions` changes it. */
export const DEFAULT_ASSUMPTIONS: Readonly<Assumptions> = {
  asyncRunStatus: 202,
  failedSyncRunStatus: 502,
  cancelledSyncRunStatus: 200,
  cancelAnswer: 'body',
  cancelOfFinishedJob: 'conflict',
  cancelledJobWebhook: 'none',
  jobFields: 'minimal',
  invalidInputStatus: 400,
  unknownCategory: 'empty',
  limitAboveMaximum: 'reject',
  runNeedsJobsWrite: false,
  requestIdHeader: 'sent',
  queuedMs: 200,
}

/** What each switch accepts. */
export const assumptionsSchema = z.strictObject({
  asyncRunStatus: z.literal([200, 202]),
  failedSyncRunStatus: z.literal([200, 502]),
  cancelledSyncRunStatus: z.literal([200, 409]),
  cancelAnswer: z.enum(['body', 'empty']),
  cancelOfFinishedJob: z.enum(['conflict', 'unchanged']),
  cancelledJobWebhook: z.enum(['none', 'sent']),
  jobFields: z.enum(['minimal', 'full']),
  invalidInputStatus: z.literal([400, 422]),
  unknownCategory: z.enum(['empty', 'reject']),
  limitAboveMaximum: z.enum(['reject', 'clamp']),
  runNeedsJobsWrite: z.boolean(),
  requestIdHeader: z.enum(['sent', 'none']),
  queuedMs: z.number().check(z.nonnegative()),
}) satisfies z.ZodMiniType<Assumptions>
