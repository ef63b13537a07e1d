/**
 * An inbox store in Redis, for any number of processes.
 *
 * @module
 */
import { isFunction, isText, must, needs } from '../../arguments/checks.ts'
import { type Checks, readOptions } from '../../arguments/read-options.ts'
import { ConfigurationError } from '../../errors/local-errors.ts'
import type { ClaimRequest, ClaimResult, InboxStore, Lease, NextStep } from './inbox-store.ts'
import { decodeText, encodeText, RECORD_COLUMNS, readRecord } from './record-columns.ts'
import { nextMs, nextState } from './record-steps.ts'
import { type RedisScript, redisScript } from './redis-scripts.ts'
import { acquired, refused, type StoredRecord, toDueRecord, toInboxRecord, toJson, wholeMs } from './stored-record.ts'

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /**
   * Runs a script (the command EVAL) with any client, and gives its reply as it is, without conversions.
   *
   * - ioredis: `(script, keys, args) => redis.eval(script, keys.length, ...keys, ...args)`
   * - redis: `(script, keys, args) => redis.eval(script, { keys, arguments: args })`
   * - Upstash, made with `automaticDeserialization: false`: `(script, keys, args) => redis.eval(script, keys, args)`
   */
  eval: (script: string, keys: string[], args: string[]) => PromiseLike<unknown>
  /** Stores of different namespaces do not see each other. All keys of one are in one slot of a cluster. Default `modelrun`. */
  namespace?: string | undefined
}

const REDIS_OPTIONS = /* @__PURE__ */ ((): Checks<RedisStoreOptions> => ({
  eval: needs('a function (script, keys, args) => reply', isFunction),
  namespace: must('a string that is not empty', isText),
}))()

/**
 * An inbox store in Redis 5 or newer. It must not evict keys: `migrate()` checks that. What survives a crash of Redis is
 * up to its `appendfsync`.
 *
 * @throws ConfigurationError when an option is wrong; by `migrate()`, when Redis evicts records
 *
 * @example
 * const store = createRedisStore({ eval: (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args) })
 */
export function createRedisStore(options: RedisStoreOptions): InboxStore {
  const { namespace = 'modelrun' } = readOptions('createRedisStore', options, REDIS_OPTIONS)
  // The braces make it the part that decides the slot of a cluster; none may be inside.
  const root = `{${encodeURIComponent(encodeText(namespace))}}`

  async function run(script: RedisScript, ...args: (string | number)[]): Promise<unknown> {
    return await options.eval(redisScript(script), [root], args.map(String))
  }
  const did = async (...call: Parameters<typeof run>) => Number(await run(...call)) === 1
  const outcome = async (...call: Parameters<typeof run>) => ((await did(...call)) ? 'ok' : 'lost')
  const found = async (...call: Parameters<typeof run>) => readFound(await run(...call))

  return {
    guarantees: { durable: true, shared: true, transactional: false },
    migrate: async () => refuseEviction(String(await run('memory'))),
    expect: async (key, { pollInMs, ref, context }) => {
      const optionals = [...optional(ref === undefined ? ref : encodeText(ref)), ...optional(toJson(context))]
      await run('expect', encodeText(key), wholeMs(pollInMs), ...optionals)
    },
    bind: async (ref, key, keepMs) =>
      decodeText(String(await run('bind', encodeText(ref), encodeText(key), wholeMs(keepMs)))),
    claim: async (key, request) => {
      const [hasPayload, payload] = optional(toJson(request.payload))
      const { owner, leaseMs, fingerprint } = request
      const delivered = [hasPayload, encodeText(fingerprint), payload] as const
      return readClaim(await run('claim', encodeText(key), encodeText(owner), wholeMs(leaseMs), ...delivered), request)
    },
    extend: (lease, leaseMs) => did('extend', ...guard(lease), wholeMs(leaseMs)),
    complete: (lease, { keepMs }) => outcome('complete', ...guard(lease), wholeMs(keepMs)),
    release: (lease, next, error) => outcome('release', ...guard(lease), ...move(next, error)),
    due: async (limit, kind) => (await found('due', limit, kind)).map(([record, now]) => toDueRecord(record, now)),
    postpone: (key, polls, ...step) => did('postpone', encodeText(key), polls, ...move(...step)),
    get: async (key) => (await found('get', encodeText(key))).map(([record, now]) => toInboxRecord(record, now))[0],
    list: async (state, { limit, after = '' }) =>
      (await found('list', state, limit, encodeText(after))).map(([record, now]) => toInboxRecord(record, now)),
    replay: (key) => did('replay', encodeText(key)),
  }
}

/** Redis has no undefined: whether there is a text, and the text. */
function optional(text: string | undefined): readonly [string, string] {
  return text === undefined ? ['0', ''] : ['1', text]
}

function guard({ key, owner, fence }: Lease): [string, string, number] {
  return [encodeText(key), encodeText(owner), fence]
}

function move(next: NextStep, error: string | undefined): (string | number)[] {
  const isFree = next.kind === 'retry' && next.isFree === true
  const text = error === undefined ? error : encodeText(error)
  return [nextState(next), nextMs(next), isFree ? 1 : 0, ...optional(text)]
}

function readClaim(reply: unknown, request: ClaimRequest): ClaimResult {
  const [isTaken, stateBefore, now, fields] = readList(reply)
  // A claim without a payload, of a record that is not there.
  if (Number(isTaken) === 0 && readList(fields)[0] == null) return { kind: 'done', samePayload: true }
  const record = readFields(fields)
  return Number(isTaken) === 1
    ? acquired(record, request, stateBefore === 'leased')
    : refused(record, request, Number(now))
}

function readFound(reply: unknown): [StoredRecord, number][] {
  const [now, records] = readList(reply)
  return readList(records).map((fields) => [readFields(fields), Number(now)])
}

function readFields(fields: unknown): StoredRecord {
  const values = readList(fields)
  return readRecord(Object.fromEntries(RECORD_COLUMNS.map((column, index) => [column, values[index]])))
}

function readList(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply
  throw new ConfigurationError({
    message: `The \`eval\` of the Redis store gave ${reply === null ? 'null' : typeof reply} instead of a list. It must resolve to the reply of Redis as it is.`,
  })
}

/** A Redis without a limit of memory evicts nothing, whatever its policy is. */
function refuseEviction(info: string): void {
  const policy = /^maxmemory_policy:(allkeys-\S+)/m.exec(info)?.[1]
  if (policy === undefined || /^maxmemory:0\s*$/m.test(info)) return
  throw new ConfigurationError({
    message: `This Redis has the maxmemory-policy ${policy}: when its memory is full, it drops records of the inbox, and their results are lost. Set the policy to noeviction, or use another Redis.`,
  })
}
