import * as z from 'zod/mini'
import { SERVER_ERROR_CODES, type ServerErrorCode } from '../error-codes.ts'

/** How a request is rejected: HTTP status and error code. A status of success has no code: the request is accepted. */
interface Rejection {
  /** HTTP status of the response. */
  status: number
  /** `null` where the response is not an error. */
  code: string | null
}

/** The response to a cancel that changes nothing. */
interface CancelRejection extends Rejection {
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

const status = (least: number) => z.int().check(z.minimum(least), z.maximum(599))
const error = z.strictObject({ status: status(400), code: z.string() })
const errorOrAccepted = z.union([z.literal('accepted'), error], 'must be "accepted", or { status, code } of an error')
const cancelOrAccepted = z.union(
  [
    z.literal('accepted'),
    z.strictObject({ status: status(200), code: z.nullable(z.string()), fields: z.optional(z.array(z.string())) }),
  ],
  'must be "accepted", or { status, code, fields? }',
)

const rejection = (code: ServerErrorCode) => ({ status: SERVER_ERROR_CODES[code], code })

const INVALID = /* @__PURE__ */ rejection('VALIDATION_ERROR')
const NOT_FOUND = /* @__PURE__ */ rejection('NOT_FOUND')
const CONFLICT = /* @__PURE__ */ rejection('CONFLICT')

/** Each kind with the rejection that applies unless the option `assumptions` changes it. */
export const rejectionsSchema = /* @__PURE__ */ z.strictObject({
  unknownModel: z._default(error, NOT_FOUND),
  unknownModelRun: z._default(error, NOT_FOUND),
  unknownJob: z._default(error, NOT_FOUND),
  unknownPath: z._default(error, NOT_FOUND),
  brokenJson: z._default(error, INVALID),
  invalidBody: z._default(error, INVALID),
  insufficientCredits: z._default(error, rejection('INSUFFICIENT_CREDITS')),
  ipOutsideAllowlist: z._default(error, rejection('FORBIDDEN')),
  unknownCategory: z._default(error, INVALID),
  missingParameter: z._default(errorOrAccepted, INVALID),
  invalidInput: z._default(errorOrAccepted, INVALID),
  unknownParameter: z._default(errorOrAccepted, INVALID),
  unknownMember: z._default(errorOrAccepted, INVALID),
  webhookScheme: z._default(errorOrAccepted, INVALID),
  otherContentType: z._default(errorOrAccepted, rejection('UNSUPPORTED_MEDIA_TYPE')),
  unknownQueryParameter: z._default(errorOrAccepted, INVALID),
  limitAboveMaximum: z._default(errorOrAccepted, INVALID),
  invalidPage: z._default(errorOrAccepted, INVALID),
  cancelOfUnknownJob: z._default(cancelOrAccepted, NOT_FOUND),
  cancelOfFinishedJob: z._default(cancelOrAccepted, CONFLICT),
  cancelOfCancelledJob: z._default(cancelOrAccepted, CONFLICT),
}) satisfies z.ZodMiniType<Rejections>
