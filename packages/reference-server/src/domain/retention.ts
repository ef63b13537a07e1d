import * as z from 'zod/mini'

/** How many finished items are stored. Over the limit, the account with the most items loses its oldest. */
export interface Retention {
  /**
   * Finished jobs, and with them their files. Default 100 000. A job counts once more for each 1 024 characters of its input,
   * such as an image as a data URI. Unfinished jobs are always stored.
   */
  finishedJobs?: number | undefined
  /** Finished deliveries. Default 10 000. */
  deliveries?: number | undefined
  /** Bytes of the journal, about. Default 4 MiB. */
  journalBytes?: number | undefined
}

const count = z.int().check(z.nonnegative())

export const retentionSchema = z.strictObject({
  finishedJobs: z._default(count, 100_000),
  deliveries: z._default(count, 10_000),
  journalBytes: z._default(count, 4 * 1024 * 1024),
}) satisfies z.ZodMiniType<Retention>
