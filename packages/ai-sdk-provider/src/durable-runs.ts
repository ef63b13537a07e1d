import type { Output } from 'modelrun'

/** A batch of runs that outlives its processes, as the provider uses it. `createRuns` of `@modelrun/durable` makes one. */
export interface DurableRuns {
  /** Sends a run, at most once for its key, or polls its job if that is due. */
  send(
    key: string,
    model: string,
    input: Readonly<Record<string, unknown>>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<DurableRun>
  /** Returns a run by its key, with a poll of its job if that is due. Never sends. */
  read(key: string): Promise<DurableRun>
  /** Cancels a run. */
  cancel(key: string): Promise<unknown>
  /** Adds runs, works them, and yields each once it has ended or is `unknown`. */
  runEach(
    model: string,
    items: Iterable<DurableItem>,
    options?: { signal?: AbortSignal | undefined },
  ): AsyncIterable<{ item: DurableItem; run: DurableRun }>
}

/** A run to add. */
export interface DurableItem {
  /** Unique within the batch. */
  readonly key: string
  /** Parameters of the model. */
  readonly input: Readonly<Record<string, unknown>>
}

/** A run of a batch. */
export interface DurableRun {
  /** `waiting`, `running`, `succeeded`, `failed`, `cancelled`, `rejected` or `unknown`. */
  readonly state: string
  /** Known once the service has accepted it. */
  readonly jobId?: string | undefined
  /** Of a run that succeeded. */
  readonly output?: Output | undefined
  /** Why it did not succeed. */
  readonly error?: { readonly code: string; readonly message: string } | undefined
}
