import type { Model } from '@modelrun/contract'

/** A model of the reference server: what the wire shows (section 2.1), and how its runs behave. */
export interface CatalogModel extends Model {
  /** Kind of file that a run produces, also the `type` of the output (section 2.5). */
  output_kind: 'image' | 'video' | 'audio'
  /** How long a run takes, in milliseconds on the server's clock. */
  latency_ms: number
}
