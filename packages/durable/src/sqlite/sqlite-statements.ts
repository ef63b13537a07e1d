import { SUSPECT_AFTER } from '../engine/task-table.ts'

/** How often a task has lost its process. A task that still runs after the end of its lock has just lost it. */
const LOST = "lost + (state = 'running')"

const DUE = "queue = :queue AND state IN ('waiting', 'running') AND due_at <= :now"

/** A trigger that counts tasks: counting a million rows takes long, and blocks the event loop. */
function countOn(name: string, event: string, changes: readonly (readonly [row: string, amount: number])[]): string {
  const count = ([row, amount]: readonly [string, number]) => `
      INSERT INTO modelrun_counts (queue, state, count) VALUES (${row}.queue, ${row}.state, ${amount})
      ON CONFLICT (queue, state) DO UPDATE SET count = count + ${amount};`
  return `CREATE TRIGGER IF NOT EXISTS modelrun_tasks_${name} AFTER ${event} ON modelrun_tasks BEGIN ${changes.map(count).join('')} END;`
}

/** The tables and statements of the SQLite engine. `:queue` and `:id` name a task, `:now` is the time. */
export const SQL = {
  setup: `
    CREATE TABLE IF NOT EXISTS modelrun_tasks (
      queue TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL, result TEXT, error TEXT,
      attempts INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, fence INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER NOT NULL, added_at INTEGER NOT NULL, ended_at INTEGER, seq INTEGER NOT NULL,
      PRIMARY KEY (queue, id)
    ); -- with rowid: new rows are appended to the file, also when ids are random
    CREATE INDEX IF NOT EXISTS modelrun_tasks_open ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running');
    CREATE INDEX IF NOT EXISTS modelrun_tasks_lost ON modelrun_tasks (queue, due_at)
      WHERE state IN ('waiting', 'running') AND lost >= 1;
    CREATE INDEX IF NOT EXISTS modelrun_tasks_state ON modelrun_tasks (queue, state, seq);
    CREATE TABLE IF NOT EXISTS modelrun_queues (
      queue TEXT PRIMARY KEY, next_start REAL NOT NULL DEFAULT 0, paused_until INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS modelrun_tallies (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS modelrun_counts (
      queue TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (queue, state)
    ) WITHOUT ROWID;
    ${countOn('added', 'INSERT', [['NEW', 1]])}
    ${countOn('removed', 'DELETE', [['OLD', -1]])}
    ${countOn('changed', 'UPDATE OF state', [
      ['OLD', -1],
      ['NEW', 1],
    ])}`,
  add: `
    INSERT INTO modelrun_tasks (queue, id, state, data, due_at, added_at, seq)
    VALUES (:queue, :id, 'waiting', :data, :now + :delayMs, :now, :seq) ON CONFLICT DO NOTHING`,
  nextSeq: `
    INSERT INTO modelrun_tallies (name, value) VALUES (' seq', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
    RETURNING value`,
  queue: 'SELECT next_start, paused_until FROM modelrun_queues WHERE queue = :queue',
  setNextStart: `
    INSERT INTO modelrun_queues (queue, next_start) VALUES (:queue, :value)
    ON CONFLICT (queue) DO UPDATE SET next_start = :value`,
  pause: `
    INSERT INTO modelrun_queues (queue, paused_until) VALUES (:queue, :value)
    ON CONFLICT (queue) DO UPDATE SET paused_until = max(paused_until, :value)`,
  due: `
    SELECT id, data, attempts, fence, ${LOST} AS lost FROM modelrun_tasks
    WHERE ${DUE} AND ${LOST} < ${SUSPECT_AFTER} ORDER BY due_at LIMIT :limit`,
  // Has an index of its own: a million tasks may be due without a suspect among them.
  dueSuspects: `
    SELECT id, data, attempts, fence, ${LOST} AS lost FROM modelrun_tasks
    WHERE ${DUE} AND lost >= 1 AND ${LOST} >= ${SUSPECT_AFTER} ORDER BY due_at LIMIT :limit`,
  lock: `
    UPDATE modelrun_tasks SET state = 'running', fence = fence + 1, lost = :lost, due_at = :dueAt
    WHERE queue = :queue AND id = :id`,
  nextDue: `
    SELECT min(due_at) AS due_at FROM modelrun_tasks WHERE queue = :queue AND state IN ('waiting', 'running') AND due_at > :now`,
  renew: `
    UPDATE modelrun_tasks SET due_at = :dueAt WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence
    RETURNING id`,
  end: `
    UPDATE modelrun_tasks SET state = :state, result = :result, error = :error, ended_at = :now, seq = :seq
    WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence RETURNING id`,
  postpone: `
    UPDATE modelrun_tasks SET state = 'waiting', attempts = attempts + :failed, due_at = :dueAt
    WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence RETURNING id`,
  // Another worker has locked the task since, and has counted this fence as lost.
  uncountLoss: `
    UPDATE modelrun_tasks SET lost = lost - 1 WHERE queue = :queue AND id = :id AND fence > :fence AND lost > 0`,
  get: 'SELECT * FROM modelrun_tasks WHERE queue = :queue AND id = :id',
  list: `
    SELECT * FROM modelrun_tasks WHERE queue = :queue AND state = :state AND seq > :after ORDER BY seq LIMIT :limit`,
  count: 'SELECT state, count FROM modelrun_counts WHERE queue = :queue',
  readTally: 'SELECT value FROM modelrun_tallies WHERE name = :name',
  setTally: `
    INSERT INTO modelrun_tallies (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value`,
  replay: `
    UPDATE modelrun_tasks SET state = 'waiting', attempts = 0, lost = 0, error = NULL, ended_at = NULL, due_at = :now, seq = :seq
    WHERE queue = :queue AND id = :id AND state = 'dead' RETURNING id`,
  remove: `DELETE FROM modelrun_tasks WHERE queue = :queue AND id = :id AND (state <> 'running' OR due_at <= :now) RETURNING id`,
} as const
