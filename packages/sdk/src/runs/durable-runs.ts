import type { Output } from '@modelrun/contract'

/** A run of a durable batch. */
export interface DurableRun {
  /** Parameters as they were added, as JSON has them. */
  readonly input: Readonly<Record<string, unknown>>
  /** Id of the model. */
  readonly model: string
  /** `unknown`: it was sent, and nothing says whether the service accepted it. */
  readonly state: 'waiting' | 'running' | 'succeeded' | 'failed' | 'rejected' | 'unknown'
  /** Known once the service has accepted it. */
  readonly jobId?: string | undefined
  /** Of a run that succeeded. */
  readonly output?: Output | undefined
  /** Of a run that failed, was rejected, or is unknown. */
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** An item that becomes a run of a durable batch. */
export interface DurableItem {
  /** Without a key it is handed back as it is. */
  readonly key?: string | undefined
  /** Parameters of the run. */
  readonly input: Readonly<Record<string, unknown>>
}

/** The part of a durable batch that `client.runMany` uses. `createRuns` of `@modelrun/durable` makes one. */
export interface DurableRuns {
  /** Works the batch in this process, adds items under their keys, and gives each back once its run has ended or is unknown. */
  runEach<Item extends DurableItem>(
    model: string,
    items: AsyncIterable<Item>,
    options: { concurrency?: number | undefined; signal?: AbortSignal | undefined },
  ): AsyncGenerator<{ item: Item; run: DurableRun | undefined }, void, undefined>
}
