import type { Rejections } from '@modelrun/contract'
import * as z from 'zod/mini'
import { SERVER_ERROR_CODES, type ServerErrorCode } from '../error-codes.ts'

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
