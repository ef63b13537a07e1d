import * as z from 'zod/mini'
import { DEFAULT_REFUSALS, type Rejections, rejectionsSchema } from './rejections.ts'

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
  /** Status code of the job status while the job goes on (section 4.4). Default 200. */
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

/** Some of the switches; what is left out keeps its default. */
export type AssumptionOptions = {
  [Name in Exclude<keyof Assumptions, 'rejections'>]?: Assumptions[Name] | undefined
} & {
  /** Some of the rejections. */
  rejections?: { [Kind in keyof Rejections]?: Rejections[Kind] | undefined } | undefined
}

/** The setting of every switch unless the option `assumptions` changes it. */
export const DEFAULT_ASSUMPTIONS: Readonly<Assumptions> = {
  asyncRunStatus: 202,
  asyncRunWithWebhook: 'queued',
  failedSyncRunStatus: 502,
  failedSyncRunBody: 'job',
  cancelledSyncRunStatus: 200,
  unfinishedJobStatus: 200,
  cancelStatus: 200,
  cancelFields: ['/data/job_id', '/data/status'],
  cancelledJobWebhook: 'none',
  deliveriesOfOneResult: 1,
  jobFields: [],
  absentJobFields: 'left-out',
  creditsOfFailedRun: 'none',
  unknownCategory: 'empty',
  searchCase: 'ignored',
  searchWords: 'parts',
  plainSlashInPath: 'served',
  runNeedsJobsWrite: false,
  webhookNeedsManage: false,
  requestIdHeader: 'sent',
  queuedMs: 200,
  rejections: DEFAULT_REFUSALS,
}

/** What each switch accepts. */
export const assumptionsSchema = /* @__PURE__ */ z.strictObject({
  asyncRunStatus: z.literal([200, 202]),
  asyncRunWithWebhook: z.enum(['queued', 'processing']),
  failedSyncRunStatus: z.int().check(z.minimum(200), z.maximum(599)),
  failedSyncRunBody: z.enum(['job', 'error']),
  cancelledSyncRunStatus: z.literal([200, 409]),
  unfinishedJobStatus: z.literal([200, 202]),
  cancelStatus: z.literal([200, 202, 204]),
  cancelFields: z.array(z.string().check(z.regex(/^\/[^~]+$/, 'must be a JSON pointer, such as /data/status'))),
  cancelledJobWebhook: z.enum(['none', 'sent']),
  deliveriesOfOneResult: z.int().check(z.minimum(1), z.maximum(100)),
  jobFields: z.array(z.string()),
  absentJobFields: z.enum(['left-out', 'null']),
  creditsOfFailedRun: z.enum(['none', 'price']),
  unknownCategory: z.enum(['empty', 'all', 'reject']),
  searchCase: z.enum(['ignored', 'counts']),
  searchWords: z.enum(['parts', 'whole']),
  plainSlashInPath: z.enum(['served', 'unknown']),
  runNeedsJobsWrite: z.boolean(),
  webhookNeedsManage: z.boolean(),
  requestIdHeader: z.enum(['sent', 'none']),
  queuedMs: z.number().check(z.nonnegative()),
  rejections: rejectionsSchema,
}) satisfies z.ZodMiniType<Assumptions>
