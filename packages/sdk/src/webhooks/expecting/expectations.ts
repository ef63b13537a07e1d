import { ConfigurationError } from '../../errors/local-errors.ts'
import type { CallbackTokens } from '../callback-token.ts'
import type { InboxCore } from '../inbox-core.ts'
import { intentKey, jobKey } from '../record-key.ts'
import { TOKEN_LIFE_MS, TOKEN_MEMORY_MS } from '../resolve-inbox-options.ts'
import { readStoredContext, type StoredContext } from '../stored-delivery.ts'

/** After this, a run of which nothing was heard is an alarm. */
const ORPHAN_MS = 15 * 60_000

/** What is known of a run before it is sent. */
export interface PrepareOptions {
  /** The model of the run, for notices and polls. */
  modelId?: string | undefined
  /** JSON that the handler gets as `context.context`. */
  context?: unknown
}

/** What is known of a run that was accepted. */
export interface ExpectOptions extends PrepareOptions {
  /** The reference that `prepare` gave. */
  ref?: string | undefined
  /** Milliseconds until the job is looked at, if no delivery came. Default: `expectedAfterMs` of the inbox. */
  pollInMs?: number | undefined
}

/** A callback address for one run. */
export interface PreparedRun {
  /** For `webhook_url`. */
  url: string
  /** Names the run until its job is known. */
  ref: string
}

/** Makes a callback address for one run. Its context is kept in the store: the address tells nothing. */
export async function makeCallbackUrl(core: InboxCore, baseUrl: string | undefined, context: unknown): Promise<string> {
  const minted = await mint(core, baseUrl)
  if (context !== undefined) await remember(core, minted.ref, { pollInMs: TOKEN_MEMORY_MS, context: { context } })
  return minted.url
}

/** Makes a callback address, and notes that its run is about to be sent. */
export async function prepareRun(core: InboxCore, { modelId, context }: PrepareOptions): Promise<PreparedRun> {
  const { durable, shared } = core.store.guarantees
  // Of a store that outlives this process, another one takes the delivery.
  if (core.stopping.signal.aborted && !durable && !shared) {
    throw new ConfigurationError({
      message:
        'This inbox was drained and keeps nothing: no delivery of a run would be handled. Make a new inbox for it.',
    })
  }
  const minted = await mint(core, undefined)
  await remember(core, minted.ref, { pollInMs: ORPHAN_MS, context: { modelId, context, isIntent: true } })
  return minted
}

/** Notes that the result of a job is to come. What was noted before its run moves over. */
export async function expectJob(core: InboxCore, jobId: string, options: ExpectOptions): Promise<void> {
  const { store } = core
  const { ref, pollInMs = core.options.expectedAfterMs } = options
  const key = jobKey(jobId)
  const intent = ref === undefined ? undefined : await store.get(intentKey(ref))
  const { modelId, context } = readStoredContext(intent?.context) ?? {}
  const stored: StoredContext = { modelId: options.modelId ?? modelId, context: options.context ?? context }
  await store.expect(key, { ref, pollInMs, context: stored })
  if (ref === undefined) return
  const boundKey = await store.bind(ref, key, TOKEN_MEMORY_MS)
  if (boundKey !== key) {
    throw new ConfigurationError({
      message: `The reference ${ref} belongs to another job than ${jobId}: prepare each run anew, and give each one its own callback address.`,
    })
  }
  await forgetRun(core, ref)
}

/** Notes that a run certainly did not count. */
export async function forgetRun({ store }: InboxCore, ref: string): Promise<void> {
  const intent = await store.get(intentKey(ref))
  if (intent !== undefined) await store.postpone(intent.key, intent.polls, { kind: 'forget' })
}

async function mint({ options }: InboxCore, baseUrl = options.publicUrl): Promise<PreparedRun> {
  const tokens: CallbackTokens | undefined = options.tokens
  if (tokens === undefined) {
    throw new ConfigurationError({
      message: 'Callback addresses are signed: pass `createInbox({ secret })`, at least 32 bytes that only you know.',
    })
  }
  if (baseUrl === undefined) {
    throw new ConfigurationError({
      message:
        'The inbox does not know its address: pass `createInbox({ publicUrl })`, or an address to `callbackUrl`.',
    })
  }
  return await tokens.mint({ baseUrl, lifeMs: TOKEN_LIFE_MS })
}

interface Memory {
  pollInMs: number
  context: StoredContext
}

async function remember({ store }: InboxCore, ref: string, { pollInMs, context }: Memory): Promise<void> {
  await store.expect(intentKey(ref), { pollInMs, context })
}
