import type { Task } from '@modelrun/kit'
import { ConfigurationError } from '@modelrun/kit'
import { TOKEN_LIFE_MS } from '../callback-token.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { PreparedRun, PrepareOptions } from '../inbox-options.ts'
import type { InboxQueues } from '../queues.ts'
import { jobKey, readStoredContext, type StoredContext } from '../stored-records.ts'

/** How long the run of a callback URL is remembered: the life of its token, and the difference between clocks. */
export const TOKEN_MEMORY_MS = TOKEN_LIFE_MS + 5 * 60_000

/** A prepared run without a job is reported after this time. */
const UNCONFIRMED_RUN_MS = 15 * 60_000

/** Creates a callback URL for one run. The engine stores its context: the URL does not contain it. */
export async function createCallbackUrl(
  core: InboxCore,
  baseUrl: string | undefined,
  context: unknown,
): Promise<string> {
  const { url, ref } = await signUrl(core.options, baseUrl)
  if (context !== undefined) {
    const stored: StoredContext = { context, notedAt: core.options.clock.now() }
    await core.queues.prepared.add(ref, stored, TOKEN_MEMORY_MS)
  }
  return url
}

/** Creates a callback URL for a run that is about to be sent, and stores that. */
export async function prepareRun(core: InboxCore, { modelId, context }: PrepareOptions): Promise<PreparedRun> {
  const { options, queues, stopping } = core
  if (stopping.signal.aborted && options.isInMemory) {
    throw new ConfigurationError({
      message:
        'This inbox was drained, and is in memory: it would lose the delivery of this run. Create a new inbox for it.',
    })
  }
  const prepared = await signUrl(options, undefined)
  const stored: StoredContext = { modelId, context, isPrepared: true, notedAt: options.clock.now() }
  await queues.prepared.add(prepared.ref, stored, UNCONFIRMED_RUN_MS)
  return prepared
}

async function signUrl(
  { tokens, publicUrl }: InboxCore['options'],
  baseUrl: string | undefined = publicUrl,
): Promise<PreparedRun> {
  if (tokens === undefined) {
    throw new ConfigurationError({
      message: 'Callback URLs are signed: pass `createInbox({ secret })`, at least 32 bytes that only you know.',
    })
  }
  if (baseUrl === undefined) {
    throw new ConfigurationError({
      message: 'The inbox does not know its URL: pass `createInbox({ publicUrl })`, or a URL to `callbackUrl`.',
    })
  }
  return await tokens.create(baseUrl)
}

/** Works a task of the queue `prepared`: reports a prepared run whose job is still not known. */
export async function reportPrepared({ queues, hooks }: InboxCore, { id: ref, data }: Task): Promise<undefined> {
  const { isPrepared, modelId, context } = readStoredContext(data) ?? {}
  const isKnown = (await queues.bindings.get(ref)) !== undefined
  if (isPrepared && !isKnown) hooks.notify('onUnconfirmedRun', { ref, modelId, context })
}

/**
 * Binds a callback URL to the job of its first confirmed delivery, or of `expect`.
 *
 * @returns false when the URL belongs to another job
 */
export async function bindToJob({ bindings }: InboxQueues, ref: string, jobId: string): Promise<boolean> {
  const key = jobKey(jobId)
  await bindings.add(ref, { key })
  return Object((await bindings.get(ref))?.data).key === key
}

/**
 * What `expect` or `prepare` was given for the job of a delivery. A delivery can come before the response to its run: then
 * the reference in its callback URL finds the prepared run.
 */
export async function contextOf(
  { expected, prepared }: InboxQueues,
  { jobId, ref }: { jobId: string; ref: string | undefined },
): Promise<StoredContext | undefined> {
  const task = (await expected.get(jobKey(jobId))) ?? (ref === undefined ? undefined : await prepared.get(ref))
  return readStoredContext(task?.data)
}
