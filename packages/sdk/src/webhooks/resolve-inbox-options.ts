import { type Clock, systemClock } from '../clock.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { type CallbackTokens, createCallbackTokens, readCallbackUrl } from './callback-token.ts'
import type { EventHandler, InboxOptions, JobReader, Trust } from './inbox-options.ts'
import { isSafeOutputUrl } from './output-urls.ts'
import type { InboxStore } from './store/inbox-store.ts'
import { createMemoryStore } from './store/memory-store.ts'
import type { FailedEvent, SucceededEvent, UnknownEvent } from './webhook-event.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** For how long a callback address counts. */
export const TOKEN_LIFE_MS = DAY_MS

/** For how long something of a token may be asked: a day, and what the clocks of several machines differ by. */
export const TOKEN_MEMORY_MS = TOKEN_LIFE_MS + 5 * 60_000

/** The audience of tokens when the inbox was not told its address: every inbox with the same secret. */
const ANY_INBOX = 'modelrun:inbox'

/** The handlers of an inbox. */
export interface Handlers {
  onSucceeded: EventHandler<SucceededEvent> | undefined
  onFailed: EventHandler<FailedEvent> | undefined
  onUnknown: EventHandler<UnknownEvent> | undefined
}

/** The options with every field named, checked and present. */
export interface ResolvedInboxOptions {
  store: InboxStore
  handlers: Handlers
  client: JobReader | undefined
  /** Undefined without a secret. */
  tokens: CallbackTokens | undefined
  publicUrl: string | undefined
  trust: Trust
  allowedOutputHosts: readonly string[] | undefined
  leaseMs: number
  maxRunMs: number
  maxAttempts: number
  keepDoneMs: number
  keepDeadMs: number
  sweepIntervalMs: number
  expectedAfterMs: number
  giveUpAfterMs: number
  waitUntil: InboxOptions['waitUntil']
  clock: Clock
  random: () => number
}

/** @throws ConfigurationError when an option is wrong, or two do not go together */
export function resolveInboxOptions(options: InboxOptions): ResolvedInboxOptions {
  const { clock = systemClock, client, secret, publicUrl, allowHttp, onSucceeded, onFailed, onUnknown } = options
  if (publicUrl !== undefined) readCallbackUrl(publicUrl, { name: '`publicUrl`', allowHttp })
  const tokens =
    secret === undefined
      ? undefined
      : createCallbackTokens({ secret, audience: publicUrl ?? ANY_INBOX, allowHttp, clock })
  const resolved: ResolvedInboxOptions = {
    store: options.store ?? createMemoryStore({ clock }),
    handlers: { onSucceeded, onFailed, onUnknown },
    client,
    tokens,
    publicUrl,
    trust: options.trust ?? (client ? 'verify' : tokens ? 'token' : 'payload'),
    allowedOutputHosts: options.allowedOutputHosts,
    ...resolveNumbers(options),
    waitUntil: options.waitUntil,
    clock,
    random: options.random ?? Math.random,
  }
  // An entry that is no host is told now, not at the first delivery.
  isSafeOutputUrl('', { allowedHosts: options.allowedOutputHosts })
  checkSecret(resolved)
  checkTrust(resolved)
  checkStore(resolved)
  warnOfDefaults(options, resolved)
  return resolved
}

function resolveNumbers(options: InboxOptions) {
  const {
    leaseMs = 60_000,
    maxRunMs = 900_000,
    maxAttempts = 8,
    keepDoneMs = 7 * DAY_MS,
    keepDeadMs = 30 * DAY_MS,
    sweepIntervalMs = 15_000,
    expectedAfterMs = 60_000,
    giveUpAfterMs = DAY_MS,
  } = options
  return {
    leaseMs,
    maxRunMs,
    maxAttempts,
    keepDoneMs,
    keepDeadMs,
    sweepIntervalMs,
    expectedAfterMs,
    giveUpAfterMs,
  }
}

/** Without a secret the first run would fail. */
function checkSecret({ publicUrl, tokens }: ResolvedInboxOptions): void {
  if (publicUrl === undefined || tokens !== undefined) return
  throw new ConfigurationError({
    message:
      '`publicUrl` needs a `secret` of at least 32 bytes to sign callback addresses with. If it comes from the environment, its variable is not set.',
  })
}

function checkTrust({ trust, client, tokens, keepDoneMs }: ResolvedInboxOptions): void {
  if (trust === 'verify' && client === undefined) {
    throw new ConfigurationError({
      message: "`trust: 'verify'` needs a `client` to read jobs with: pass `createInbox({ client: new ModelRun() })`.",
    })
  }
  if (trust === 'token' && tokens === undefined) {
    throw new ConfigurationError({
      message: "`trust: 'token'` needs a `secret` of at least 32 bytes to sign callback addresses with.",
    })
  }
  if (tokens !== undefined && keepDoneMs < TOKEN_MEMORY_MS) {
    throw new ConfigurationError({
      message: `\`keepDoneMs\` is ${keepDoneMs}, shorter than the life of a callback address: a delivery that is sent again could be handled again. Make it at least ${TOKEN_MEMORY_MS}.`,
    })
  }
}

function checkStore({ store, waitUntil }: ResolvedInboxOptions): void {
  if (waitUntil === undefined || store.guarantees.shared) return
  throw new ConfigurationError({
    message:
      '`waitUntil` is for serverless functions, whose instances come and go: what one leaves undone, another must find. Pass a `store` that they share, for instance Redis or Postgres.',
  })
}

/** What is fine on a developer's machine and nowhere else. */
function warnOfDefaults(options: InboxOptions, { trust, tokens, store }: ResolvedInboxOptions): void {
  if (options.trust === undefined && trust === 'payload' && tokens === undefined) {
    console.warn(
      "modelrun: this inbox believes whoever posts to it. Pass a `client`, a `secret`, or `trust: 'payload'` when that is meant.",
    )
  }
  if (!store.guarantees.durable && !store.guarantees.shared && isProduction()) {
    console.warn(
      'modelrun: this inbox keeps deliveries in memory, and they are never sent again: what is not handled when the process ends is lost. Pass a durable `store`.',
    )
  }
}

function isProduction(): boolean {
  try {
    return globalThis.process?.env?.NODE_ENV === 'production'
  } catch {
    return false // Deno without --allow-env
  }
}
