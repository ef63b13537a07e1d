import * as z from 'zod/mini'

/** How many finished items are stored. Over the limit, the account with the most items loses its oldest. */
export interface Retention {
  /** Finished jobs, and with them their files. Default 100 000. Unfinished jobs are always stored. */
  finishedJobs: number
  /**
   * Long parameters of runs, such as images as data URIs, in bytes, about. Default 16 MiB. Beyond it those of the oldest
   * runs are cut: `job(id).input` then has only their start, and the files of the job stay the same.
   */
  inputBytes: number
  /** Finished deliveries. Default 10 000. */
  deliveries: number
  /** Bytes of the journal, about. Default 4 MiB. */
  journalBytes: number
}

/** Some of them; the others keep their defaults. */
export type RetentionOptions = { [Name in keyof Retention]?: Retention[Name] | undefined }

const count = z.int().check(z.nonnegative())

export const retentionSchema = z.strictObject({
  finishedJobs: z._default(count, 100_000),
  inputBytes: z._default(count, 16 * 1024 * 1024),
  deliveries: z._default(count, 10_000),
  journalBytes: z._default(count, 4 * 1024 * 1024),
}) satisfies z.ZodMiniType<Retention>

export const DEFAULT_RETENTION: Readonly<Retention> = /* @__PURE__ */ z.parse(retentionSchema, {})
