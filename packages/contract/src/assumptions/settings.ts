import * as z from 'zod/mini'
import type { OpenQuestion } from './fixed.ts'

/** Status and code of an error response (section 7). */
export interface Rejection {
  /** 400 to 599. */
  status: number
  /** The member `code` of the error. */
  code: string
}

/**
 * What the specification leaves open and a client may notice. Code that works with every setting works with whatever the
 * real service does.
 */
export interface Assumptions {
  /** What a failed run is charged (section 2.1). Default `none`. */
  creditsOfFailedRun: 'none' | 'price'
  /** How long a run with `sync: false` is `queued`, in milliseconds of the server's clock (section 3). Default 200. */
  queuedMs: number
  /** Cancel of a job that has ended (section 3). `accepted`: nothing changes. Default 409 CONFLICT. */
  cancelOfFinishedJob: 'accepted' | Rejection
  /** Status of the response to a run with `sync: false` (section 4.3). Default 202. */
  asyncRunStatus: 200 | 202
  /**
   * Status of the response to a run whose job fails while the response is held, 200 to 599 (section 4.3), and one that has a
   * body: the job with its error. 202: the body is that of a run that continues, and polling reads the failure. Default 502.
   */
  failedSyncRunStatus: number
  /** Status of the response to a cancel (section 4.5). 204 has no body. Default 200. */
  cancelStatus: 200 | 202 | 204
  /** Cancel of an unknown job (section 4.5). Default 404 NOT_FOUND. */
  cancelOfUnknownJob: 'accepted' | Rejection
  /** Whether a run with `webhook_url` needs the permission `webhooks:manage` (section 5). Default `false`. */
  webhookNeedsManage: boolean
  /** Whether the webhook of a cancelled job is called (section 6). Default `none`. */
  cancelledJobWebhook: 'none' | 'sent'
  /** How often each result is delivered, 1 to 100 times (section 6). Default 1. */
  deliveriesOfOneResult: number
  /** Details or a run of an unknown model (section 7). Default 404 NOT_FOUND. */
  unknownModel: Rejection
  /** Status of an unknown job (section 7). Default 404 NOT_FOUND. */
  unknownJob: Rejection
  /** An invalid body, query or input (section 7). Default 400 VALIDATION_ERROR. */
  wrongRequest: Rejection
  /** A run that costs more than the credits that are left (section 7). Default 402 INSUFFICIENT_CREDITS. */
  insufficientCredits: Rejection
}

interface Setting<Value> extends OpenQuestion {
  /** The values, for people. */
  values: string
  /** Has the default. */
  schema: z.ZodMiniType<Value>
}

type Settings = { [Name in keyof Assumptions]: Setting<Assumptions[Name]> }

const NOT_FOUND = { status: 404, code: 'NOT_FOUND' }
const REJECTION_VALUES = '{ status, code }'
const CANCEL_VALUES = `accepted, ${REJECTION_VALUES}`

const rejection = z.strictObject({ status: z.int().check(z.minimum(400), z.maximum(599)), code: z.string() })
const hasBody = (status: number) => ![204, 205, 304].includes(status)
const cancel = z.union([z.literal('accepted'), rejection], 'must be "accepted", or { status, code } of an error')

/** The questions that a setting decides. */
export const SETTINGS: Settings = {
  creditsOfFailedRun: {
    section: '2.1',
    question: 'What a failed run is charged',
    choice: 'Nothing',
    values: 'none, price',
    schema: z._default(z.enum(['none', 'price']), 'none'),
  },
  queuedMs: {
    section: '3',
    question: 'When a queued job starts to be processed',
    choice: 'After 200 ms; a synchronous run, or one with webhook_url alone, starts at once',
    values: 'milliseconds',
    schema: z._default(z.number().check(z.nonnegative()), 200),
  },
  cancelOfFinishedJob: {
    section: '3',
    question: 'Cancel of a job that has succeeded, failed or been cancelled',
    choice: '409 CONFLICT; nothing changes',
    values: CANCEL_VALUES,
    schema: z._default(cancel, { status: 409, code: 'CONFLICT' }),
  },
  asyncRunStatus: {
    section: '4.3',
    question: 'Status of the response to a run with sync: false',
    choice: '202, because the work is not done',
    values: '200, 202',
    schema: z._default(z.literal([200, 202]), 202),
  },
  failedSyncRunStatus: {
    section: '4.3',
    question: 'Status of the response to a synchronous run whose job fails while the response is held',
    choice: '502 with job_id, request_id, model_id, status "failed" and error',
    values: '200 to 599, not 204, 205, 304; 202: like a run that continues, and polling reads the failure',
    schema: z._default(
      z.int().check(z.minimum(200), z.maximum(599), z.refine(hasBody, '204, 205 and 304 have no body')),
      502,
    ),
  },
  cancelStatus: {
    section: '4.5',
    question: 'Response to a cancel',
    choice: '200 with { data: { job_id, status: "cancelled" } }',
    values: '200, 202, 204 without a body',
    schema: z._default(z.literal([200, 202, 204]), 200),
  },
  cancelOfUnknownJob: {
    section: '4.5',
    question: 'Cancel of an unknown job',
    choice: '404 NOT_FOUND',
    values: CANCEL_VALUES,
    schema: z._default(cancel, NOT_FOUND),
  },
  webhookNeedsManage: {
    section: '5',
    question: 'Whether a run with webhook_url needs webhooks:manage',
    choice: 'No: the run creates no webhook that stays',
    values: 'true, false',
    schema: z._default(z.boolean(), false),
  },
  cancelledJobWebhook: {
    section: '6',
    question: 'Whether the webhook of a cancelled job is called',
    choice: 'No',
    values: 'none, sent (with job_id and status "cancelled")',
    schema: z._default(z.enum(['none', 'sent']), 'none'),
  },
  deliveriesOfOneResult: {
    section: '6',
    question: 'How often a result is delivered',
    choice: 'Once, unless a script or a test sets another number',
    values: '1 to 100',
    schema: z._default(z.int().check(z.minimum(1), z.maximum(100)), 1),
  },
  unknownModel: {
    section: '7',
    question: 'An unknown model',
    choice: '404 NOT_FOUND',
    values: REJECTION_VALUES,
    schema: z._default(rejection, NOT_FOUND),
  },
  unknownJob: {
    section: '7',
    question: 'An unknown job, or a job of another account',
    choice: '404 NOT_FOUND',
    values: REJECTION_VALUES,
    schema: z._default(rejection, NOT_FOUND),
  },
  wrongRequest: {
    section: '7',
    question: 'An invalid body, query or input',
    choice: '400 VALIDATION_ERROR: one code for everything that the caller has to change in the request',
    values: REJECTION_VALUES,
    schema: z._default(rejection, { status: 400, code: 'VALIDATION_ERROR' }),
  },
  insufficientCredits: {
    section: '7',
    question: 'Too few credits',
    choice: '402 INSUFFICIENT_CREDITS, checked before the job exists; running jobs have their price reserved',
    values: REJECTION_VALUES,
    schema: z._default(rejection, { status: 402, code: 'INSUFFICIENT_CREDITS' }),
  },
}
