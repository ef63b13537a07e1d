import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import type { OpenEnum } from './open-enum.ts'

/** The error codes that the specification names (section 7). */
export const ERROR_CODES = ['UNAUTHORIZED', 'FORBIDDEN', 'PROVIDER_FAILURE'] as const

/** An error code that the specification names (section 7). */
type KnownErrorCode = (typeof ERROR_CODES)[number]

/** Code of an error (section 7); the service has more than the specification shows. */
export type ServiceErrorCode = OpenEnum<KnownErrorCode>

/** The `error` member of an error response, a failed job and a failure webhook (section 7). */
export interface ErrorDetail {
  /** Stable code for programs. The specification names three; the service may send others. */
  code: ServiceErrorCode
  /** Text for people. */
  message: string
}

/** Body of every error response (section 7). */
export interface ErrorBody {
  /** The error. */
  error: ErrorDetail
}

/** The HTTP status that belongs to a code, for the codes that the specification ties to one (section 7). */
export const HTTP_STATUS_BY_ERROR_CODE = { UNAUTHORIZED: 401, FORBIDDEN: 403 } as const

/** Schema of {@link ErrorDetail}. Unknown members stay. */
export const errorDetailSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    code: z.string(),
    message: z.string(),
  }),
) satisfies z.ZodMiniType<ErrorDetail>

/** Schema of {@link ErrorBody}. Unknown members stay. */
export const errorBodySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({ error: errorDetailSchema }),
) satisfies z.ZodMiniType<ErrorBody>
