import type { Assumptions } from '@modelrun/contract'
import * as z from 'zod/mini'
import { rejectionsSchema } from './rejections.ts'

/** Some of the switches; the others keep their defaults. */
export type AssumptionOptions = {
  [Name in Exclude<keyof Assumptions, 'rejections'>]?: Assumptions[Name] | undefined
} & {
  /** Some of the rejections. */
  rejections?: { [Kind in keyof Assumptions['rejections']]?: Assumptions['rejections'][Kind] | undefined } | undefined
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
