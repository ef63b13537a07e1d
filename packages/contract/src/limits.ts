/** The limits of section 8, each in the unit its name tells. */
export const LIMITS = {
  /** Results of `GET /v1/models` when no `limit` is sent. */
  modelsPageDefault: 20,
  /** Largest `limit` of `GET /v1/models`. */
  modelsPageMax: 100,
  /** About how long a synchronous run is held before a 202 is answered. */
  syncWaitMs: 55_000,
  /** How long a webhook receiver has to answer with a 2xx status. */
  webhookAckMs: 10_000,
  /** How often a failed webhook delivery is sent again. */
  webhookRetries: 0,
} as const
