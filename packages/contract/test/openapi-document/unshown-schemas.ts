import * as z from 'zod/mini'
import { errorDetailSchema } from '../../src/error-body.ts'
import { runQueuedSchema } from '../../src/run.ts'

/**
 * Bodies that the specification does not show, and that its gaps lead to. They are here for tools that need to know every
 * response; the contract's own unions hold only what is shown.
 */
export const UNSHOWN = {
  RunNotSucceeded: {
    description:
      'Response to a synchronous run whose job failed or was cancelled during the hold. The specification does not show it.',
    schema: z.looseObject({
      ...runQueuedSchema.shape,
      status: z.enum(['failed', 'cancelled']),
      error: z.optional(errorDetailSchema),
    }),
  },
  CancelResponse: {
    description:
      'Response to a cancel, which the specification does not show: any object. The job may stand in it as `data`.',
    schema: z.looseObject({
      data: z.optional(z.looseObject({ job_id: z.optional(z.string()), status: z.optional(z.string()) })),
    }),
  },
  CancelledDelivery: {
    description: 'Body of the delivery for a cancelled job, if there is one: not shown (section 6, rule 7).',
    schema: z.looseObject({ job_id: z.string(), status: z.literal('cancelled') }),
  },
}
