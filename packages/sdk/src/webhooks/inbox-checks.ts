import type { InboxEngine } from '@modelrun/kit'
import {
  atLeastOne,
  type Check,
  type Checks,
  callback,
  checkEach,
  clock,
  count,
  flag,
  hasMethods,
  isText,
  json,
  must,
  needs,
  notNegative,
  positive,
  signal,
  text,
} from '@modelrun/kit'

import { secret } from '../shared/signing/keyring.ts'
import type {
  DrainOptions,
  ExpectOptions,
  InboxOptions,
  PageOptions,
  PrepareOptions,
  SweepOptions,
} from './inbox-options.ts'

const ENGINE_METHODS: readonly (keyof InboxEngine)[] = [
  'setup',
  'add',
  'update',
  'work',
  'get',
  'list',
  'replay',
  'remove',
]

export const hosts = /* @__PURE__ */ must(
  "a list of hosts, like ['*.example.com']",
  (value) => Array.isArray(value) && value.every(isText),
)

export const INBOX_OPTIONS = /* @__PURE__ */ ((): Checks<InboxOptions> => ({
  onSucceeded: callback,
  onFailed: callback,
  onUnknown: callback,
  engine: must("an engine of @modelrun/durable, like `createSqliteEngine({ path: 'inbox.db' })`", (value) =>
    hasMethods(value, ...ENGINE_METHODS),
  ),
  name: must('a text', isText),
  client: must('a client, like `new ModelRun()`', (value) => hasMethods(Object(value).jobs, 'get')),
  secret,
  publicUrl: text,
  allowHttp: flag,
  allowedOutputHosts: hosts,
  concurrency: atLeastOne,
  lockMs: positive,
  maxRunMs: positive,
  maxAttempts: atLeastOne,
  backoffMs: positive,
  keepDoneMs: positive,
  keepDeadMs: positive,
  expectedAfterMs: positive,
  giveUpAfterMs: positive,
  onHandlerError: callback,
  onDead: callback,
  onUnconfirmedRun: callback,
  onWebhookMissed: callback,
  clock,
}))()

export const PREPARE_OPTIONS: Checks<PrepareOptions> = { context: json, modelId: text }
export const EXPECT_OPTIONS: Checks<ExpectOptions> = { context: json, modelId: text, ref: text, pollInMs: notNegative }
export const WAIT_FOR_OPTIONS: Checks<{ signal?: AbortSignal | undefined }> = { signal }
export const SWEEP_OPTIONS: Checks<SweepOptions> = { forMs: positive }
export const DRAIN_OPTIONS: Checks<DrainOptions> = { timeoutMs: notNegative }
export const PAGE_OPTIONS: Checks<PageOptions> = { limit: count, after: text }

/** Checks of the arguments of methods, by the name of the argument. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  return {
    // `.` and `..` would change the path of a URL.
    jobId: needs('a job id', (value) => isText(value) && value !== '.' && value !== '..'),
    ref: id,
    key: id,
    baseUrl: text,
    context: json,
    listener: needs('a function', (value) => typeof value === 'function'),
  } satisfies Record<string, Check>
})()

/** Checks the arguments of a method of an inbox, except for its options. @throws ConfigurationError */
export function checkInboxArguments(
  method: string,
  given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown },
): void {
  checkEach(`inbox.${method}`, given, ARGUMENTS)
}
