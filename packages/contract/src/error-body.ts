import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import type { OpenEnum } from './open-enum.ts'

/** Code of an error (section 7); the service has more than the three that the specification names. */
export type ServiceErrorCode = OpenEnum<'UNAUTHORIZED' | 'FORBIDDEN' | 'PROVIDER_FAILURE'>

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
