import { ModelRun, type ModelRunOptions, type ResultReceiver } from 'modelrun'
import type { DurableRuns } from './durable-runs.ts'
import { reject } from './errors.ts'
import { modelReader } from './model-reader.ts'

/** Options of `createModelRun`. */
export interface ModelRunProviderOptions {
  /**
   * The client, or its options. Default: a client of the environment variables `MODELRUN_API_KEY` and `MODELRUN_BASE_URL`.
   * It is made at the first call, so a module that is loaded without a key is not an error.
   */
  client?: ModelRun | ModelRunOptions | undefined
  /**
   * A batch of `@modelrun/durable`. Every call is then a run of the batch, with the header `idempotency-key` as its key: the
   * same call again, also in another process, sends nothing twice and gives the result that exists. Calls without the
   * header are rejected; only `startVideo`, and `generateVideo` with `poll`, have one of the AI SDK.
   */
  durable?: DurableRuns | undefined
  /**
   * An inbox of `modelrun/webhooks`, which receives the result of each run by webhook (section 6). Its handlers get the result in
   * whichever process, with `providerOptions.modelrun.webhookContext` as `context.context`.
   */
  webhook?: ResultReceiver | undefined
  /** What happens to a job whose call is aborted. Default `cancel`: cancelled jobs are not charged. */
  onAbort?: 'cancel' | 'detach' | undefined
  /** Time limit of a call, with the read of its model and its files, in milliseconds. Default 600 000 (10 minutes). Its jobs continue. */
  deadlineMs?: number | undefined
  /**
   * What `getVideoStatus` gives: `bytes`, fetched here with retries, or the `url`, for a store of yours or the `download` of the
   * AI SDK, which tries once. Default `bytes`.
   */
  videoFiles?: 'bytes' | 'url' | undefined
}

/** The options with every field named and present: what the models of a provider share. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

const NAMES = ['client', 'durable', 'webhook', 'onAbort', 'deadlineMs', 'videoFiles']

/** Fills in the defaults. @throws InvalidArgumentError */
export function resolveOptions({ client, durable, webhook, ...plain }: ModelRunProviderOptions) {
  const unknown = Object.keys(plain).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) reject(unknown, `createModelRun has no such option; the options are ${NAMES.join(', ')}.`)
  if (durable && webhook) reject('webhook', 'a batch has an inbox of its own: use `webhooks` of `createRuns`.')
  const { onAbort = 'cancel', deadlineMs = 600_000, videoFiles = 'bytes' } = plain
  if (onAbort !== 'cancel' && onAbort !== 'detach') reject('onAbort', "it must be 'cancel' or 'detach'.")
  if (videoFiles !== 'bytes' && videoFiles !== 'url') reject('videoFiles', "it must be 'bytes' or 'url'.")
  if (!(deadlineMs > 0)) reject('deadlineMs', 'it must be a number above 0.')
  if (durable && typeof durable.runEach !== 'function') reject('durable', 'it must be what `createRuns` returned.')
  let made: ModelRun | undefined
  const getClient = () => {
    // A client of another copy of `modelrun` has another class.
    made ??= client instanceof Object && 'submit' in client ? client : new ModelRun(client)
    return made
  }
  return {
    /** The client, made at the first call. @throws ConfigurationError */
    client: getClient,
    readModel: modelReader(getClient, deadlineMs),
    durable,
    webhook,
    onAbort,
    deadlineMs,
    videoFiles,
  }
}
