import { callback, clock, flag, hasMethods, isText, must, oneOf, positive, secret, text } from '../arguments/checks.ts'
import type { Checks } from '../arguments/read-options.ts'
import type { InboxEngine } from './engine/inbox-engine.ts'
import type { InboxOptions } from './inbox-options.ts'

const ENGINE_METHODS = {
  setup: true,
  add: true,
  work: true,
  get: true,
  list: true,
  replay: true,
  remove: true,
} satisfies Record<keyof InboxEngine, true>

const atLeastOne = /* @__PURE__ */ must(
  'a whole number of at least 1',
  (value) => Number.isInteger(value) && Number(value) >= 1,
)

export const hosts = /* @__PURE__ */ must(
  "a list of hosts, like ['*.example.com']",
  (value) => Array.isArray(value) && value.every(isText),
)

export const INBOX_OPTIONS = /* @__PURE__ */ ((): Checks<InboxOptions> => ({
  onSucceeded: callback,
  onFailed: callback,
  onUnknown: callback,
  engine: must("an engine of @modelrun/durable, like `createSqliteEngine({ path: 'inbox.db' })`", (value) =>
    hasMethods(value, ...Object.keys(ENGINE_METHODS)),
  ),
  name: must('a text', isText),
  client: must('a client, like `new ModelRun()`', (value) => hasMethods(Object(value).jobs, 'get')),
  secret,
  publicUrl: text,
  allowHttp: flag,
  trust: oneOf('verify', 'token', 'payload'),
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
  waitUntil: callback,
  onHandlerError: callback,
  onDead: callback,
  onLost: callback,
  onUnconfirmedRun: callback,
  onWebhookMissed: callback,
  onMetric: callback,
  clock,
}))()
