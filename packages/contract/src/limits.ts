/** The limits of section 8, each in the unit of its name. */
export const LIMITS = {
  /** Results of `GET /v1/models` when no `limit` is sent. */
  modelsPageDefault: 20,
  /** Largest `limit` of `GET /v1/models`. */
  modelsPageMax: 100,
  /** Approximate time for which a synchronous run is held before the 202 response. */
  syncWaitMs: 55_000,
  /** Time in which a webhook receiver must respond with a 2xx status. */
  webhookAckMs: 10_000,
  /** How often a failed webhook delivery is sent again. */
  webhookRetries: 0,
} as const
