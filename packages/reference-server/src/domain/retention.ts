import * as z from 'zod/mini'

const count = z.int().check(z.nonnegative())

export const retentionSchema = z.strictObject({
  /**
   * Finished jobs, and with them their files. Default 100 000. A job counts once more for each 1 024 characters of its input,
   * such as an image as a data URI. Unfinished jobs are always stored.
   */
  finishedJobs: z._default(count, 100_000),
  /** Finished deliveries. Default 10 000. */
  deliveries: z._default(count, 10_000),
  /** Bytes of the journal, about. Default 4 MiB. */
  journalBytes: z._default(count, 4 * 1024 * 1024),
})

/** How many finished items are stored. Over the limit, the account with the most items loses its oldest. */
export type Retention = z.output<typeof retentionSchema>

export const DEFAULT_RETENTION: Readonly<Retention> = /* @__PURE__ */ z.parse(retentionSchema, {})
