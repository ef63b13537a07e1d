import { ConfigurationError } from '../../errors/local-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import { keepTrying } from '../delivery/keep-trying.ts'
import { jobKey } from '../delivery/record-key.ts'
import { TOKEN_MEMORY_MS } from '../resolve-inbox-options.ts'
import { bindToJob } from './context-of.ts'
import { readStoredContext, type StoredContext } from '../delivery/stored-delivery.ts'

/** After this, a run of which nothing was heard is an alarm. */
const UNCONFIRMED_RUN_MS = 15 * 60_000

/** What is known of a run before it is sent. */
export interface PrepareOptions {
  /** The model of the run, for notices. */
  modelId?: string | undefined
  /** JSON that the handler gets as `context.context`. */
  context?: unknown
}

/** What is known of a run that was accepted. */
export interface ExpectOptions extends PrepareOptions {
  /** The reference that `prepare` gave. */
  ref?: string | undefined
  /** Milliseconds until the job is polled, if no delivery came. Default: `expectedAfterMs` of the inbox. */
  pollInMs?: number | undefined
}

/** A callback URL for one run. */
export interface PreparedRun {
  /** For `webhook_url`. */
  url: string
  /** Names the run until its job is known. */
  ref: string
}

/** Creates a callback URL for one run. Its context is kept by the engine: the URL has nothing of it. */
export async function createCallbackUrl(
  core: InboxCore,
  baseUrl: string | undefined,
  context: unknown,
): Promise<string> {
  const { url, ref } = await signUrl(core, baseUrl)
  if (context !== undefined) {
    const stored: StoredContext = { context, notedAt: core.options.clock.now() }
    await core.queues.prepared.add(ref, stored, TOKEN_MEMORY_MS)
  }
  return url
}

/** Creates a callback URL, and notes that its run is about to be sent. */
export async function prepareRun(core: InboxCore, { modelId, context }: PrepareOptions): Promise<PreparedRun> {
  if (core.stopping.signal.aborted && core.options.isInMemory) {
    throw new ConfigurationError({
      message:
        'This inbox was drained and keeps nothing: no delivery of a run would be handled. Create a new inbox for it.',
    })
  }
  const prepared = await signUrl(core, undefined)
  const stored: StoredContext = { modelId, context, isPrepared: true, notedAt: core.options.clock.now() }
  await core.queues.prepared.add(prepared.ref, stored, UNCONFIRMED_RUN_MS)
  return prepared
}

/** Notes that the result of a job is to come. What was noted before its run moves over. */
export async function expectJob(core: InboxCore, jobId: string, options: ExpectOptions): Promise<void> {
  const { queues, hooks } = core
  const { ref, pollInMs = core.options.expectedAfterMs } = options
  const make = async () => {
    const prepared = ref === undefined ? undefined : readStoredContext((await queues.prepared.get(ref))?.data)
    const stored: StoredContext = {
      modelId: options.modelId ?? prepared?.modelId,
      ref,
      context: options.context ?? prepared?.context,
      notedAt: core.options.clock.now(),
    }
    await queues.expected.add(jobKey(jobId), stored, pollInMs)
    if (ref === undefined) return
    if (!(await bindToJob(core, ref, jobId))) {
      throw new ConfigurationError({
        message: `The reference ${ref} belongs to another job than ${jobId}: prepare each run anew, and give each one its own callback URL.`,
      })
    }
    await queues.prepared.remove(ref)
  }
  // The run is paid for, and nobody would note it again.
  const onFailure = (error: unknown) => hooks.warn(`the inbox could not note that the job ${jobId} is expected`, error)
  await keepTrying(core, { make, onFailure })
}

/** Notes that a run certainly did not count. */
export async function forgetRun({ queues }: InboxCore, ref: string): Promise<void> {
  await queues.prepared.remove(ref)
}

async function signUrl({ options }: InboxCore, baseUrl = options.publicUrl): Promise<PreparedRun> {
  const { tokens } = options
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
