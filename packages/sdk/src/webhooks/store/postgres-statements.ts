import { ConfigurationError } from '../../errors/local-errors.ts'

const ms = (time: string) => `(extract(epoch FROM ${time}) * 1000)::float8`

/** `clock_timestamp()` and not `now()`, which stands still while a statement waits for a row that others change. */
const CLOCK = 'clock_timestamp()'
const later = (parameter: number) => `${CLOCK} + $${parameter}::float8 * interval '1 ms'`

const COLUMNS = `key, state, owner, fence, attempt, polls, ref, context, payload, fingerprint, last_error, is_reclaimed,
  ${/* @__PURE__ */ ms('created_at')} AS created_at, ${/* @__PURE__ */ ms('due_at')} AS due_at,
  ${/* @__PURE__ */ ms(CLOCK)} AS now`

/** How many finished records one call of `due` forgets at most. */
const FORGET_BATCH = 1_000

export type Statements = ReturnType<typeof createStatements>

/** The statements of a store, each atomic by itself. Texts are those of `encodeText`, or JSON. */
export function createStatements(table: string) {
  const names = tableNames(table)
  const { records, refs } = names
  // $1 key, $2 owner, $3 fence.
  const lease = 'key = $1 AND owner = $2 AND fence = $3::bigint'
  return {
    migrate: migration(names),
    // $1 key, $2 poll ms, $3 ref, $4 context.
    expect: `INSERT INTO ${records} AS r (key, state, due_at, ref, context)
      VALUES ($1, 'expected', ${later(2)}, $3::text, $4::text)
      ON CONFLICT (key) DO UPDATE SET ref = coalesce(r.ref, $3::text), context = coalesce(r.context, $4::text)
      WHERE (r.ref IS NULL AND $3::text IS NOT NULL) OR (r.context IS NULL AND $4::text IS NOT NULL)`,
    // $1 ref, $2 key, $3 keep ms.
    bind: `INSERT INTO ${refs} AS r (ref, key, ends_at) VALUES ($1, $2, ${later(3)})
      ON CONFLICT (ref) DO UPDATE SET
        key = CASE WHEN r.ends_at <= ${CLOCK} THEN excluded.key ELSE r.key END,
        ends_at = CASE WHEN r.ends_at <= ${CLOCK} THEN ${later(3)} ELSE r.ends_at END
      RETURNING key`,
    ...claims(records),
    extend: `UPDATE ${records} SET due_at = ${later(4)} WHERE ${lease} AND state = 'leased' RETURNING key`,
    // The owner stays, to know the lease again.
    complete: `UPDATE ${records} SET state = 'done', payload = NULL,
        due_at = CASE state WHEN 'done' THEN due_at ELSE ${later(4)} END
      WHERE ${lease} AND state IN ('leased', 'done') RETURNING key`,
    release: moveOn(records, `${lease} AND state = 'leased'`, 4),
    // $1 key, $2 polls.
    postpone: moveOn(records, `key = $1 AND polls = $2::int AND state = 'expected'`, 3),
    dueWork: due(names, `'leased', 'retry'`),
    duePolls: due(names, `'expected'`),
    get: `SELECT ${COLUMNS} FROM ${records} WHERE key = $1`,
    // $1 state, $2 last key of the page before, or '', $3 limit.
    list: `SELECT ${COLUMNS} FROM ${records} AS r WHERE state = $1 AND (r.created_at, key) >
        (coalesce((SELECT created_at FROM ${records} WHERE key = $2::text), '-infinity'), $2::text)
      ORDER BY r.created_at, key LIMIT $3::int`,
    replay: `UPDATE ${records} SET state = CASE WHEN payload IS NULL THEN 'expected' ELSE 'retry' END,
        due_at = ${CLOCK}, attempt = 0, polls = 0
      WHERE key = $1 AND state = 'dead' RETURNING key`,
  }
}

interface TableNames {
  /** Quoted, like `refs`. */
  records: string
  refs: string
  /** Without its schema, unquoted: indexes are named after it. */
  base: string
}

/** With `_refs_end` behind it, a name is within the 63 characters that Postgres keeps. */
const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/i

function tableNames(table: string): TableNames {
  if (!TABLE_NAME.test(table)) {
    throw new ConfigurationError({
      message: `The \`table\` of the Postgres store must be a name of at most 50 letters, digits and _, with or without a schema before a dot, not ${JSON.stringify(table)}.`,
    })
  }
  const parts = table.split('.')
  const quoted = (suffix: string) => `"${parts.join('"."')}${suffix}"`
  return { records: quoted(''), refs: quoted('_refs'), base: parts.at(-1) ?? table }
}

/**
 * In one statement, for clients that cannot hold a transaction. The lock is there because two connections that create
 * the same table at the same time fail, in spite of IF NOT EXISTS.
 */
function migration({ records, refs, base }: TableNames): string {
  return `DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('modelrun inbox ${records}'));
    IF to_regclass('${records}') IS NULL THEN
      CREATE TABLE ${records} (
        key text COLLATE "C" PRIMARY KEY,
        state text NOT NULL,
        owner text,
        fence bigint NOT NULL DEFAULT 0,
        attempt integer NOT NULL DEFAULT 0,
        polls integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        due_at timestamptz NOT NULL,
        ref text,
        context text,
        payload text,
        fingerprint text,
        last_error text,
        is_reclaimed boolean NOT NULL DEFAULT false
      );
      CREATE INDEX "${base}_due" ON ${records} (state, due_at);
      CREATE INDEX "${base}_list" ON ${records} (state, created_at, key);
      CREATE TABLE ${refs} (ref text COLLATE "C" PRIMARY KEY, key text NOT NULL, ends_at timestamptz NOT NULL);
      CREATE INDEX "${base}_refs_end" ON ${refs} (ends_at);
    END IF;
  END $$`
}

/** $1 key, $2 owner, $3 lease ms; with a payload also $4 fingerprint, $5 payload. No row: the record cannot be taken. */
function claims(records: string) {
  const take = `state = 'leased', owner = $2, fence = r.fence + 1, attempt = r.attempt + 1, due_at = ${later(3)},
    is_reclaimed = r.state = 'leased'`
  const isFree = `r.state = 'expected' OR (r.state IN ('leased', 'retry') AND r.due_at <= ${CLOCK})`
  return {
    claimStored: `UPDATE ${records} AS r SET ${take} WHERE key = $1 AND (${isFree}) RETURNING ${COLUMNS}`,
    claimDelivered: `INSERT INTO ${records} AS r (key, state, owner, fence, attempt, due_at, fingerprint, payload)
      VALUES ($1, 'leased', $2, 1, 1, ${later(3)}, $4, $5)
      ON CONFLICT (key) DO UPDATE SET ${take}, payload = coalesce(r.payload, excluded.payload),
        fingerprint = CASE WHEN r.payload IS NULL THEN excluded.fingerprint ELSE r.fingerprint END
      WHERE ${isFree} OR (r.state = 'dead' AND r.payload IS NULL)
      RETURNING ${COLUMNS}`,
  }
}

/** From the parameter `first` on: state, ms, whether the claim was free, error. `forget` has the condition alone. */
function moveOn(records: string, condition: string, first: number) {
  const [state, free, error] = [`$${first}::text`, `$${first + 2}::boolean`, `$${first + 3}::text`]
  return {
    forget: `DELETE FROM ${records} WHERE ${condition} RETURNING key`,
    update: `UPDATE ${records} SET state = ${state}, owner = NULL, due_at = ${later(first + 1)},
        last_error = coalesce(${error}, last_error),
        polls = polls + CASE state WHEN 'expected' THEN 1 ELSE 0 END,
        attempt = CASE WHEN ${state} = 'expected' THEN 0 WHEN ${free} THEN greatest(attempt - 1, 0) ELSE attempt END,
        payload = CASE WHEN ${state} = 'expected' THEN NULL ELSE payload END,
        fingerprint = CASE WHEN ${state} = 'expected' THEN NULL ELSE fingerprint END
      WHERE ${condition} RETURNING key`,
  }
}

/**
 * $1 limit. `now()` is right here, and lets Postgres use the index: nothing is waited for. So do the `r.`, without which
 * the order would be that of the milliseconds, and the arrays.
 */
function due({ records, refs }: TableNames, states: string): string {
  return `WITH forgotten AS (
      DELETE FROM ${records} WHERE key = ANY(ARRAY(SELECT key FROM ${records}
        WHERE state IN ('done', 'dead') AND due_at <= now() LIMIT ${FORGET_BATCH} FOR UPDATE SKIP LOCKED))
    ), unbound AS (
      DELETE FROM ${refs} WHERE ref = ANY(ARRAY(SELECT ref FROM ${refs}
        WHERE ends_at <= now() LIMIT ${FORGET_BATCH} FOR UPDATE SKIP LOCKED))
    )
    SELECT ${COLUMNS} FROM ${records} AS r WHERE state IN (${states}) AND r.due_at <= now()
      ORDER BY r.due_at LIMIT $1::int`
}
