/** A line of the ledger. `run` joins the lines of one run. */
export type LedgerEntry = IntentEntry | JobEntry | EndEntry

/** Written before a run is sent. */
interface IntentEntry {
  type: 'intent'
  run: string
  model: string
  base_url: string
  /** Price of the run, in credits. */
  credits: number
  /** SHA-256 of the input. The input itself stays private. */
  input_sha256: string
}

/** Written when the service has accepted a run. */
interface JobEntry {
  type: 'job'
  run: string
  job_id: string
}

/** Written when the end of a run is known, or when nothing more will be known. */
export interface EndEntry {
  type: 'end'
  run: string
  /** `not_sent` and `rejected` cost nothing. `unknown` may have been charged. */
  status: 'succeeded' | 'failed' | 'cancelled' | 'not_sent' | 'rejected' | 'unknown'
}

/** What the ledger says about a run. */
export interface LedgerRun {
  run: string
  /** When it was written down, in ISO 8601. */
  at: string
  model: string
  base_url: string
  credits: number
  job_id?: string | undefined
  /** `intent`: it may have been sent, by a process that ended. `running`: its job is known. */
  status: EndEntry['status'] | 'intent' | 'running'
}
