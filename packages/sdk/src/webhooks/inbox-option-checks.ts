import { callback, clock, flag, hasMethods, isText, must, oneOf, positive, secret, text } from '../arguments/checks.ts'
import { type Checks, isPlainData } from '../arguments/read-options.ts'
import type { InboxOptions } from './inbox-options.ts'
import type { InboxStore } from './store/inbox-store.ts'

const STORE_METHODS = {
  migrate: true,
  expect: true,
  bind: true,
  claim: true,
  extend: true,
  complete: true,
  release: true,
  due: true,
  postpone: true,
  get: true,
  list: true,
  replay: true,
} satisfies Record<Exclude<keyof InboxStore, 'guarantees'>, true>

export const hosts = /* @__PURE__ */ must(
  "a list of hosts, like ['*.example.com']",
  (value) => Array.isArray(value) && value.every(isText),
)

export const INBOX_OPTIONS = /* @__PURE__ */ ((): Checks<InboxOptions> => ({
  onSucceeded: callback,
  onFailed: callback,
  onUnknown: callback,
  store: must(
    "a store, like `createSqliteStore({ path: 'inbox.db' })`",
    (value) =>
      hasMethods(value, ...Object.keys(STORE_METHODS)) && isPlainData(Reflect.get(Object(value), 'guarantees')),
  ),
  client: must('a client, like `new ModelRun()`', (value) => hasMethods(Object(value).jobs, 'get')),
  secret,
  publicUrl: text,
  allowHttp: flag,
  trust: oneOf('verify', 'token', 'payload'),
  allowedOutputHosts: hosts,
  leaseMs: positive,
  maxRunMs: positive,
  maxAttempts: must('a whole number of at least 1', (value) => Number.isInteger(value) && Number(value) >= 1),
  keepDoneMs: positive,
  keepDeadMs: positive,
  sweepIntervalMs: positive,
  expectedAfterMs: positive,
  giveUpAfterMs: positive,
  waitUntil: callback,
  onHandlerError: callback,
  onDead: callback,
  onLost: callback,
  onOrphanIntent: callback,
  onWebhookMissed: callback,
  onConflict: callback,
  onMetric: callback,
  clock,
  random: callback,
}))()
