import * as z from 'zod/mini'

/** Where a member is in a body. */
export const pointer = z
  .string()
  .check(z.refine((text) => /^\/[^~]+$/.test(text), 'write it as a JSON pointer, such as /data/status'))

/** A member of a response to a run, behind the status of the response. */
export const runField = z
  .string()
  .check(
    z.refine(
      (text) => /^(completed|queued|processing|failed|cancelled)\//.test(text),
      'write it as in queued/created_at',
    ),
  )

/** The same of a delivery. */
export const deliveryField = z
  .string()
  .check(z.refine((text) => /^(succeeded|failed|cancelled)\//.test(text), 'write it as in failed/model_id'))
