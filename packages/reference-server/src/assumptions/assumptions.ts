import * as z from 'zod/mini'
import { type Rejections, rejectionsSchema } from './rejections.ts'

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

/** Some of the switches; the others keep their defaults. */
export type AssumptionOptions = {
  [Name in Exclude<keyof Assumptions, 'rejections'>]?: Assumptions[Name] | undefined
} & {
  /** Some of the rejections. */
  rejections?: { [Kind in keyof Rejections]?: Rejections[Kind] | undefined } | undefined
}

/** What each switch accepts, and its setting unless the option `assumptions` changes it. */
export const assumptionsSchema = /* @__PURE__ */ z.strictObject({
  asyncRunStatus: z._default(z.literal([200, 202]), 202),
  asyncRunWithWebhook: z._default(z.enum(['queued', 'processing']), 'queued'),
  failedSyncRunStatus: z._default(z.int().check(z.minimum(200), z.maximum(599)), 502),
  failedSyncRunBody: z._default(z.enum(['job', 'error']), 'job'),
  cancelledSyncRunStatus: z._default(z.literal([200, 409]), 200),
  unfinishedJobStatus: z._default(z.literal([200, 202]), 200),
  cancelStatus: z._default(z.literal([200, 202, 204]), 200),
  cancelFields: z._default(
    z.array(z.string().check(z.regex(/^\/[^~]+$/, 'must be a JSON pointer, such as /data/status'))),
    ['/data/job_id', '/data/status'],
  ),
  cancelledJobWebhook: z._default(z.enum(['none', 'sent']), 'none'),
  deliveriesOfOneResult: z._default(z.int().check(z.minimum(1), z.maximum(100)), 1),
  jobFields: z._default(z.array(z.string()), []),
  absentJobFields: z._default(z.enum(['left-out', 'null']), 'left-out'),
  runFields: z._default(z.array(z.string().check(z.refine(isRunField, 'write it as in queued/created_at'))), []),
  creditsOfFailedRun: z._default(z.enum(['none', 'price']), 'none'),
  unknownCategory: z._default(z.enum(['empty', 'all', 'reject']), 'empty'),
  searchCase: z._default(z.enum(['ignored', 'counts']), 'ignored'),
  searchWords: z._default(z.enum(['parts', 'whole']), 'parts'),
  plainSlashInPath: z._default(z.enum(['served', 'unknown']), 'served'),
  runNeedsJobsWrite: z._default(z.boolean(), false),
  webhookNeedsManage: z._default(z.boolean(), false),
  requestIdHeader: z._default(z.enum(['sent', 'none']), 'sent'),
  queuedMs: z._default(z.number().check(z.nonnegative()), 200),
  rejections: z.prefault(rejectionsSchema, {}),
}) satisfies z.ZodMiniType<Assumptions>

/** The setting of every switch unless the option `assumptions` changes it. */
export const DEFAULT_ASSUMPTIONS: Readonly<Assumptions> = /* @__PURE__ */ z.parse(assumptionsSchema, {})

function isRunField(text: string): boolean {
  return /^(completed|queued|processing|failed|cancelled)\//.test(text)
}
