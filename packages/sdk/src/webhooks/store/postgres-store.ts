/**
 * An inbox store in Postgres, for any number of processes: `complete` can be part of the caller's own transaction.
 *
 * @module
 */
import { isFunction, needs, text } from '../../arguments/checks.ts'
import { type Checks, readOptions } from '../../arguments/read-options.ts'
import type { ClaimRequest, ClaimResult, InboxStore, Lease, NextStep } from './inbox-store.ts'
import { type PostgresQuery, type PostgresValue, type QueryRows, queryRows, transactionRows } from './postgres-query.ts'
import { createStatements, type Statements } from './postgres-statements.ts'
import { decodeText, encodeText, type Row, readNumber, readRecord, readText } from './record-columns.ts'
import { nextMs, nextState } from './record-steps.ts'
import { acquired, isClaimable, refused, toDueRecord, toInboxRecord, toJson, wholeMs } from './stored-record.ts'

export type { PostgresQuery, PostgresValue }

/** Options of `createPostgresStore`. */
export interface PostgresStoreOptions {
  /**
   * Runs one statement with its parameters `$1`, `$2`, … with any client, outside of transactions.
   *
   * - pg: `(text, values) => pool.query(text, values)`
   * - postgres: `(text, values) => sql.unsafe(text, values)`
   * - Neon: `(text, values) => sql.query(text, values)`
   * - PGlite: `(text, values) => db.query(text, values)`
   */
  query: PostgresQuery
  /** The table, with or without its schema. A second one has the name with `_refs` behind it. Default `modelrun_inbox`. */
  table?: string | undefined
}

const POSTGRES_OPTIONS = /* @__PURE__ */ ((): Checks<PostgresStoreOptions> => ({
  query: needs('a function (text, values) => rows', isFunction),
  table: text,
}))()

/**
 * An inbox store in Postgres 12 or newer. Call `migrate()` once before its first use.
 *
 * `complete(lease, { tx })` runs in the caller's transaction: `tx` is its client (an object with `query`), or a function
 * like the option `query`. The effects of a handler and the end of its record are then written together, or not at all.
 *
 * @throws ConfigurationError when an option is wrong, or the name of the table is not a plain one
 *
 * @example
 * const pool = new pg.Pool()
 * const store = createPostgresStore({ query: (text, values) => pool.query(text, values) })
 * await store.migrate()
 */
export function createPostgresStore(options: PostgresStoreOptions): InboxStore {
  const { query, table = 'modelrun_inbox' } = readOptions('createPostgresStore', options, POSTGRES_OPTIONS)
  const sql = createStatements(table)
  const rows = queryRows(query)
  const did = async (text: string, values: PostgresValue[]) => (await rows(text, values)).length > 0
  const move = (statement: Statements['release'], guard: PostgresValue[], [next, error]: Move) =>
    next.kind === 'forget'
      ? did(statement.forget, guard)
      : did(statement.update, [...guard, ...stepValues(next, error)])

  return {
    guarantees: { durable: true, shared: true, transactional: true },
    migrate: async () => void (await rows(sql.migrate, [])),
    expect: async (key, { pollInMs, ref, context }) => {
      const values = [encodeText(key), wholeMs(pollInMs), ref === undefined ? null : encodeText(ref)]
      await rows(sql.expect, [...values, toJson(context) ?? null])
    },
    bind: async (ref, key, keepMs) => {
      const [row = {}] = await rows(sql.bind, [encodeText(ref), encodeText(key), wholeMs(keepMs)])
      return decodeText(readText(row, 'key') ?? '')
    },
    claim: (key, request) => claim({ sql, rows }, key, request),
    extend: async (lease, leaseMs) => did(sql.extend, [...leaseValues(lease), wholeMs(leaseMs)]),
    complete: async (lease, { keepMs, tx }) => {
      const run = tx === undefined ? rows : transactionRows(tx)
      return (await run(sql.complete, [...leaseValues(lease), wholeMs(keepMs)])).length > 0 ? 'ok' : 'lost'
    },
    release: async (lease, ...step) => ((await move(sql.release, leaseValues(lease), step)) ? 'ok' : 'lost'),
    due: async (limit, kind) => (await rows(kind === 'poll' ? sql.duePolls : sql.dueWork, [limit])).map(toDue),
    postpone: async (key, polls, ...step) => move(sql.postpone, [encodeText(key), polls], step),
    get: async (key) => (await rows(sql.get, [encodeText(key)])).map(toRecord)[0],
    list: async (state, { limit, after = '' }) =>
      (await rows(sql.list, [state, encodeText(after), limit])).map(toRecord),
    replay: async (key) => did(sql.replay, [encodeText(key)]),
  }
}

/** The parameters of `release` and `postpone` that both have. */
type Move = [next: NextStep, error?: string | undefined]

/** Others can take the record again and again, but not as often as this. */
const MAX_LOOKS = 100

async function claim(
  { sql, rows }: { sql: Statements; rows: QueryRows },
  key: string,
  request: ClaimRequest,
): Promise<ClaimResult> {
  const payload = toJson(request.payload)
  const claimant = [encodeText(key), encodeText(request.owner), wholeMs(request.leaseMs)]
  // A claim that cannot take the record looks at it in a statement of its own: the one that waited for somebody else's
  // change still sees the time before it. What is free again at that look is claimed again.
  for (let look = 0; look < MAX_LOOKS; look++) {
    const [taken] =
      payload === undefined
        ? await rows(sql.claimStored, claimant)
        : await rows(sql.claimDelivered, [...claimant, encodeText(request.fingerprint), payload])
    if (taken !== undefined) return acquired(readRecord(taken), request, taken.is_reclaimed === true)
    const [row] = await rows(sql.get, [encodeText(key)])
    if (row === undefined && payload === undefined) return { kind: 'done', samePayload: true }
    if (row === undefined) continue
    const [record, now] = [readRecord(row), readNumber(row, 'now')]
    if (!isClaimable(record, request, now)) return refused(record, request, now)
  }
  throw new Error(
    `The Postgres store of the inbox could not claim ${JSON.stringify(key)}: the record is free, and yet no statement takes it. Its query function must give the rows of INSERT … RETURNING.`,
  )
}

function leaseValues({ key, owner, fence }: Lease): PostgresValue[] {
  return [encodeText(key), encodeText(owner), fence]
}

function stepValues(next: NextStep, error: string | undefined): PostgresValue[] {
  const isFree = next.kind === 'retry' && next.isFree === true
  return [nextState(next), nextMs(next), isFree, error === undefined ? null : encodeText(error)]
}

const toDue = (row: Row) => toDueRecord(readRecord(row), readNumber(row, 'now'))
const toRecord = (row: Row) => toInboxRecord(readRecord(row), readNumber(row, 'now'))
