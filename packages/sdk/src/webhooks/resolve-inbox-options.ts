import { ConfigurationError, type InboxEngine } from '@modelrun/kit'
import { type Clock, systemClock } from '../shared/clock.ts'
import { type CallbackTokens, createCallbackTokens, readCallbackUrl } from './callback-token.ts'
import { createMemoryEngine } from './engine/memory-engine.ts'
import type { InboxOptions } from './inbox-options.ts'
import { isSafeOutputUrl } from './output-urls.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** Deliveries with an expired token are accepted for 7 days. Until then the inbox must remember that their job is done. */
const KEEP_DONE_MS = 9 * DAY_MS

/** Audience of tokens without a `publicUrl`: every inbox with the same secret. */
const ANY_INBOX = 'modelrun:inbox'

/** Defaults of the numbers and the name. */
const DEFAULTS = {
  name: 'inbox',
  concurrency: 10,
  lockMs: 30_000,
  maxRunMs: 900_000,
  maxAttempts: 8,
  backoffMs: 1_000,
  keepDoneMs: KEEP_DONE_MS,
  keepDeadMs: 30 * DAY_MS,
  expectedAfterMs: 60_000,
  giveUpAfterMs: DAY_MS,
}

/** The checked options of an inbox, with defaults. */
export interface ResolvedInboxOptions
  extends Pick<InboxOptions, 'client' | 'publicUrl' | 'allowedOutputHosts'>,
    Record<Exclude<keyof typeof DEFAULTS, 'name'>, number> {
  name: string
  engine: InboxEngine
  clock: Clock
  /**
   * The clock of limits for what arrives from a network: the time of a client's virtual clock jumps while bytes are on their
   * way. A clock that the inbox was given counts here, too.
   */
  networkClock: Clock
  /** Whether the engine stores tasks in the memory of this process. */
  isInMemory: boolean
  handlers: Pick<InboxOptions, 'onSucceeded' | 'onFailed' | 'onUnknown'>
  /** Undefined without a secret. */
  tokens: CallbackTokens | undefined
}

/** @throws ConfigurationError when an option is wrong, or two do not go together */
export function resolveInboxOptions(options: InboxOptions): ResolvedInboxOptions {
  const { engine, client, secret, publicUrl, allowHttp, onSucceeded, onFailed, onUnknown } = options
  const clock = options.clock ?? (engine === undefined ? client?.clock : undefined) ?? systemClock
  if (publicUrl !== undefined) readCallbackUrl(publicUrl, { name: '`publicUrl`', allowHttp })
  const tokens =
    secret === undefined
      ? undefined
      : createCallbackTokens({ secret, audience: publicUrl ?? ANY_INBOX, allowHttp, clock })
  const resolved: ResolvedInboxOptions = {
    ...DEFAULTS,
    // `readOptions` has left out the members that are undefined.
    ...(options as Partial<typeof DEFAULTS>),
    engine: engine ?? createMemoryEngine({ clock }),
    isInMemory: engine === undefined,
    handlers: { onSucceeded, onFailed, onUnknown },
    client,
    tokens,
    publicUrl,
    allowedOutputHosts: options.allowedOutputHosts,
    clock,
    networkClock: options.clock ?? systemClock,
  }
  // Throws for an entry that is not a host now, and not at the first delivery.
  isSafeOutputUrl('', { allowedHosts: options.allowedOutputHosts })
  const problem = problemOf(resolved)
  if (problem !== undefined) throw new ConfigurationError({ message: problem })
  if (resolved.isInMemory && isProduction()) {
    console.warn(
      'modelrun: this inbox keeps deliveries in memory, and they are never sent again: what is not handled when the process ends is lost. Pass an `engine` of `@modelrun/durable`.',
    )
  }
  return resolved
}

/** Which two options do not go together. */
function problemOf({ publicUrl, tokens, client, keepDoneMs }: ResolvedInboxOptions): string | undefined {
  // Without a secret the first callback URL would fail.
  if (publicUrl !== undefined && tokens === undefined) {
    return '`publicUrl` needs a `secret` of at least 32 bytes to sign callback URLs with. If it comes from the environment, its variable is not set.'
  }
  if (client === undefined && tokens === undefined) {
    return 'Anyone can post a delivery. Pass `createInbox({ client: new ModelRun() })`, so that the inbox reads each result from the service, or a `secret` of at least 32 bytes, so that it takes only deliveries to URLs that it has signed.'
  }
  if (tokens !== undefined && keepDoneMs < KEEP_DONE_MS) {
    return `\`keepDoneMs\` is ${keepDoneMs}, shorter than a callback URL can be used: a delivery that is sent again could be handled again. Make it at least ${KEEP_DONE_MS} (9 days), or leave it out.`
  }
  return undefined
}

function isProduction(): boolean {
  try {
    return globalThis.process?.env?.NODE_ENV === 'production'
  } catch {
    return false // Deno without --allow-env
  }
}
