import { RECORD_COLUMNS } from './record-columns.ts'

/** The clock of the store. It stands still during a statement. */
const NOW = `CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`

const COLUMNS = /* @__PURE__ */ RECORD_COLUMNS.join(', ')
const CHANGED = /* @__PURE__ */ RECORD_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')
const VALUES = /* @__PURE__ */ RECORD_COLUMNS.map(() => '?').join(', ')

/** How many finished records one call of `due` forgets at most. */
const FORGET_BATCH = 1_000

const due = (states: string) =>
  `SELECT ${NOW} AS now, ${COLUMNS} FROM modelrun_inbox
   WHERE namespace = ? AND state IN (${states}) AND due_at <= ${NOW} ORDER BY due_at, key LIMIT ?`

/** The first parameter of each is the namespace. */
export const SQL = {
  migrate: `
    CREATE TABLE IF NOT EXISTS modelrun_inbox (
      namespace TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, owner TEXT, fence INTEGER NOT NULL,
      attempt INTEGER NOT NULL, polls INTEGER NOT NULL, created_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
      ref TEXT, context TEXT, payload TEXT, fingerprint TEXT, last_error TEXT, PRIMARY KEY (namespace, key)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS modelrun_inbox_due ON modelrun_inbox (namespace, state, due_at);
    CREATE INDEX IF NOT EXISTS modelrun_inbox_list ON modelrun_inbox (namespace, state, created_at, key);
    CREATE TABLE IF NOT EXISTS modelrun_inbox_refs (
      namespace TEXT NOT NULL, ref TEXT NOT NULL, key TEXT NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (namespace, ref)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS modelrun_inbox_refs_end ON modelrun_inbox_refs (namespace, ends_at);`,
  // One row in any case: the clock, with the record when there is one.
  find: `SELECT ${NOW} AS now, ${COLUMNS} FROM (SELECT 1) LEFT JOIN modelrun_inbox ON namespace = ? AND key = ?`,
  write: `INSERT INTO modelrun_inbox (namespace, ${COLUMNS}) VALUES (?, ${VALUES})
    ON CONFLICT (namespace, key) DO UPDATE SET ${CHANGED}`,
  remove: 'DELETE FROM modelrun_inbox WHERE namespace = ? AND key = ?',
  bind: `INSERT INTO modelrun_inbox_refs AS bound (namespace, ref, key, ends_at) VALUES (?, ?, ?, ${NOW} + ?)
    ON CONFLICT (namespace, ref) DO UPDATE SET
      key = iif(bound.ends_at <= ${NOW}, excluded.key, bound.key),
      ends_at = iif(bound.ends_at <= ${NOW}, excluded.ends_at, bound.ends_at)
    RETURNING key`,
  dueWork: /* @__PURE__ */ due(`'leased', 'retry'`),
  duePolls: /* @__PURE__ */ due(`'expected'`),
  forgetRecords: `DELETE FROM modelrun_inbox WHERE rowid IN (SELECT rowid FROM modelrun_inbox
    WHERE namespace = ? AND state IN ('done', 'dead') AND due_at <= ${NOW} ORDER BY due_at LIMIT ${FORGET_BATCH})`,
  forgetBindings: `DELETE FROM modelrun_inbox_refs WHERE rowid IN (SELECT rowid FROM modelrun_inbox_refs
    WHERE namespace = ? AND ends_at <= ${NOW} ORDER BY ends_at LIMIT ${FORGET_BATCH})`,
  list: `SELECT ${NOW} AS now, ${COLUMNS} FROM modelrun_inbox WHERE namespace = ?1 AND state = ?2
    AND (created_at, key) > (coalesce((SELECT created_at FROM modelrun_inbox WHERE namespace = ?1 AND key = ?3), -1), ?3)
    ORDER BY created_at, key LIMIT ?4`,
} as const
