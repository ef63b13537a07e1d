import type { Check, Checks } from '@modelrun/kit'
import * as kit from '@modelrun/kit'
import { systemClock, toBackgroundClock } from '../shared/clock.ts'
import { secret } from '../shared/signing/keyring.ts'
import { createCallbackTokens, readCallbackUrl } from './callback-token.ts'
import { createMemoryEngine } from './engine/memory-engine.ts'
import type {
  DrainOptions,
  ExpectOptions,
  InboxOptions,
  PageOptions,
  PrepareOptions,
  SweepOptions,
} from './inbox-options.ts'

export const INBOX_OPTIONS = /* @__PURE__ */ ((): Checks<InboxOptions> => ({
  onSucceeded: kit.callback,
  onFailed: kit.callback,
  onUnknown: kit.callback,
  engine: kit.must("an engine of @modelrun/durable, like `createSqliteEngine({ path: 'inbox.db' })`", (value) =>
    kit.hasMethods(value, 'setup', 'add', 'update', 'work', 'get', 'list', 'replay', 'remove'),
  ),
  name: kit.must('a text', kit.isText),
  client: kit.must('a client, like `new ModelRun()`', (value) => kit.hasMethods(Object(value).jobs, 'get')),
  secret,
  publicUrl: kit.text,
  allowHttp: kit.flag,
  concurrency: kit.atLeastOne,
  lockMs: kit.positive,
  maxRunMs: kit.positive,
  maxAttempts: kit.atLeastOne,
  backoffMs: kit.positive,
  keepDoneMs: kit.positive,
  keepDeadMs: kit.positive,
  expectedAfterMs: kit.positive,
  giveUpAfterMs: kit.positive,
  onHandlerError: kit.callback,
  onDead: kit.callback,
  onUnconfirmedRun: kit.callback,
  onWebhookMissed: kit.callback,
  clock: kit.clock,
}))()

export const PREPARE_OPTIONS: Checks<PrepareOptions> = { context: kit.json, modelId: kit.text }
// Not spread from the one above: bundlers keep an object that another one is spread into.
export const EXPECT_OPTIONS: Checks<ExpectOptions> = {
  context: kit.json,
  modelId: kit.text,
  ref: kit.text,
  pollInMs: kit.notNegative,
  firstState: kit.json,
}
export const WAIT_FOR_OPTIONS: Checks<{ signal?: AbortSignal | undefined }> = { signal: kit.signal }
export const SWEEP_OPTIONS: Checks<SweepOptions> = { forMs: kit.positive, signal: kit.signal }
export const DRAIN_OPTIONS: Checks<DrainOptions> = { timeoutMs: kit.notNegative }
export const PAGE_OPTIONS: Checks<PageOptions> = { limit: kit.count, after: kit.text }

/** Checks of the arguments of methods, by the name of the argument. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = kit.needs('an id', kit.isText)
  return {
    // `.` and `..` would change the path of a URL.
    jobId: kit.needs('a job id', (value) => kit.isText(value) && value !== '.' && value !== '..'),
    ref: id,
    key: id,
    baseUrl: kit.text,
    listener: kit.needs('a function', (value) => typeof value === 'function'),
  } satisfies Record<string, Check>
})()

/** Checks the arguments of a method of an inbox, except for its options. @throws ConfigurationError */
export function checkInboxArguments(
  method: string,
  given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown },
): void {
  kit.checkEach(`inbox.${method}`, given, ARGUMENTS)
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** Deliveries with an expired token are accepted for 7 days. Until then the inbox must remember that their job is done. */
const KEEP_DONE_MS = 9 * DAY_MS

/** Audience of tokens without a `publicUrl`: every inbox with the same secret. */
const ANY_INBOX = 'modelrun:inbox'

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

export type ResolvedInboxOptions = ReturnType<typeof resolveInboxOptions>

/** @throws ConfigurationError when an option is wrong, or two do not go together */
export function resolveInboxOptions(options: InboxOptions) {
  const { engine, client, publicUrl, allowHttp, onSucceeded, onFailed, onUnknown } = options
  const ownClock = options.clock ?? (engine === undefined ? client?.clock : undefined) ?? systemClock
  if (publicUrl !== undefined) readCallbackUrl(publicUrl, '`publicUrl`', allowHttp)
  const tokens =
    options.secret === undefined
      ? undefined
      : createCallbackTokens({ secret: options.secret, audience: publicUrl ?? ANY_INBOX, allowHttp, clock: ownClock })
  const resolved = {
    ...DEFAULTS,
    // `readOptions` has left out the members that are undefined.
    ...(options as Partial<typeof DEFAULTS>),
    engine: engine ?? createMemoryEngine(ownClock),
    /** Whether the engine stores tasks in the memory of this process. */
    isInMemory: engine === undefined,
    handlers: { onSucceeded, onFailed, onUnknown },
    client,
    /** Undefined without a secret. */
    tokens,
    publicUrl,
    clock: ownClock,
    /** Of timers that nothing waits for: they keep no process alive, and virtual time does not jump to them. */
    backgroundClock: toBackgroundClock(engine === undefined ? systemClock : ownClock),
    /**
     * The clock of limits for what arrives from a network: the time of a client's virtual clock jumps while bytes are on their
     * way. A clock that the inbox was given counts here, too.
     */
    networkClock: options.clock ?? systemClock,
  }
  const problem = problemOf(options)
  if (problem !== undefined) throw new kit.ConfigurationError({ message: problem })
  if (resolved.isInMemory && kit.readEnvironment('NODE_ENV') === 'production') {
    console.warn(
      'modelrun: this inbox keeps deliveries in memory, and they are never sent again: what is not handled when the process ends is lost. Pass an `engine` of `@modelrun/durable`.',
    )
  }
  return resolved
}

/** Which two options do not go together. */
function problemOf({ secret, publicUrl, client, keepDoneMs = KEEP_DONE_MS }: InboxOptions): string | undefined {
  // Without a secret the first callback URL would fail.
  if (publicUrl !== undefined && secret === undefined) {
    return '`publicUrl` needs a `secret` of at least 32 bytes to sign callback URLs with. If it comes from the environment, its variable is not set.'
  }
  if (client === undefined && secret === undefined) {
    return 'Anyone can post a delivery. Pass `createInbox({ client: new ModelRun() })`, so that the inbox reads each result from the service, or a `secret` of at least 32 bytes, so that it takes only deliveries to URLs that it has signed.'
  }
  if (secret !== undefined && keepDoneMs < KEEP_DONE_MS) {
    return `\`keepDoneMs\` is ${keepDoneMs}, shorter than a callback URL can be used: a delivery that is sent again could be handled again. Make it at least ${KEEP_DONE_MS} (9 days), or leave it out.`
  }
  return undefined
}
