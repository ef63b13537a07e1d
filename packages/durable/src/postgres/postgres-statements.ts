import { POISON_AFTER, SUSPECT_AFTER } from '../engine/task-table.ts'

/** `clock_timestamp()` and not `now()`, which stays the same while a statement waits. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::float8'

/** How often a task has lost its process. A task that still runs after the end of its lock has just lost it. */
const LOST = `lost + (state = 'running')::int`

const OPEN = `queue = $1 AND state IN ('waiting', 'running')`

/**
 * The next place in the lists of a queue, and its counters, which change where tasks change: to count a million of them takes
 * long. `changes` are those of seq, open, done and dead. The row stays locked until the statement ends: places appear in order.
 */
const next = (changes: string, source: string) => `next AS (
    INSERT INTO modelrun_queues AS q (queue, seq, open, done, dead) SELECT $1, ${changes} FROM ${source}
    ON CONFLICT (queue) DO UPDATE SET seq = q.seq + excluded.seq, open = q.open + excluded.open,
      done = q.done + excluded.done, dead = q.dead + excluded.dead
    RETURNING seq
  )`

/** The worker still has the lock of the task. */
const HELD = "t.state = 'running' AND t.fence = $3::int"

/** How long a statement waits for another transaction that has locked its task. */
const LONGEST_WAIT_MS = 500

/**
 * Locks the task `$2`. All statements of a queue need its row of `modelrun_queues`, so that row is locked last: else one other
 * transaction could stop the queue.
 */
const mine = (condition: string) => `
  patience AS MATERIALIZED (SELECT set_config('lock_timeout', '${LONGEST_WAIT_MS}', true)),
  mine AS (
    SELECT t.id, t.state FROM modelrun_tasks AS t, patience WHERE t.queue = $1 AND t.id = $2 AND ${condition} FOR UPDATE OF t
  )`

/** Due tasks, without those that other workers are locking at this moment. */
const due = (condition: string) => `due AS (
    SELECT id FROM modelrun_tasks WHERE ${OPEN} AND due_at <= ${NOW} AND ${condition}
      AND NOT EXISTS (SELECT 1 FROM modelrun_queues WHERE queue = $1 AND paused_until > ${NOW})
    ORDER BY due_at LIMIT $2::int FOR UPDATE SKIP LOCKED
  )`

const lock = (condition: string) => `
  WITH ${due(condition)}
  UPDATE modelrun_tasks AS t
  SET state = 'running', fence = fence + 1, lost = t.lost + (t.state = 'running')::int, due_at = ${NOW} + $3::float8
  FROM due WHERE t.queue = $1 AND t.id = due.id RETURNING t.id, t.data, t.attempts, t.lost, t.fence`

const GRANTED = `least($2::int, greatest(0, ceil((now + $3::float8 - greatest(q.next_start, now)) / $4::float8)))::int`

/** The statements of the Postgres engine. Each is atomic. `$1` is the queue, `$2` mostly the id of the task. */
export const SQL = {
  isSetUp: `
    SELECT to_regclass('modelrun_tasks') IS NOT NULL AND to_regclass('modelrun_queues') IS NOT NULL
      AND to_regclass('modelrun_tallies') IS NOT NULL AS is_set_up`,
  // One text is one transaction. Its lock lets processes that start at the same time take turns.
  setup: `
    SELECT pg_advisory_xact_lock(5217046239);
    CREATE TABLE IF NOT EXISTS modelrun_tasks (
      queue text NOT NULL, id text NOT NULL, state text NOT NULL, data text NOT NULL, result text, error text,
      attempts int NOT NULL DEFAULT 0, lost int NOT NULL DEFAULT 0, fence int NOT NULL DEFAULT 0,
      due_at float8 NOT NULL, added_at float8 NOT NULL, ended_at float8, seq bigint NOT NULL, PRIMARY KEY (queue, id)
    );
    CREATE INDEX IF NOT EXISTS modelrun_tasks_open ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running');
    CREATE INDEX IF NOT EXISTS modelrun_tasks_lost ON modelrun_tasks (queue, due_at)
      WHERE state IN ('waiting', 'running') AND lost >= 1;
    CREATE INDEX IF NOT EXISTS modelrun_tasks_state ON modelrun_tasks (queue, state, seq);
    CREATE TABLE IF NOT EXISTS modelrun_queues (
      queue text PRIMARY KEY, seq bigint NOT NULL DEFAULT 0, open bigint NOT NULL DEFAULT 0,
      done bigint NOT NULL DEFAULT 0, dead bigint NOT NULL DEFAULT 0, granted int NOT NULL DEFAULT 0,
      next_start float8 NOT NULL DEFAULT 0, paused_until float8 NOT NULL DEFAULT 0
    );
    CREATE TABLE IF NOT EXISTS modelrun_tallies (name text PRIMARY KEY, value float8 NOT NULL);`,
  // $3 data, $4 delay. Gives no row when the queue has none yet.
  add: `
    WITH place AS (SELECT seq + 1 AS seq FROM modelrun_queues WHERE queue = $1 FOR UPDATE),
    added AS (
      INSERT INTO modelrun_tasks (queue, id, state, data, due_at, added_at, seq)
      SELECT $1, $2, 'waiting', $3, ${NOW} + $4::float8, ${NOW}, seq FROM place ON CONFLICT DO NOTHING RETURNING seq
    ),
    counted AS (UPDATE modelrun_queues AS q SET seq = q.seq + 1, open = q.open + 1 FROM added WHERE queue = $1)
    SELECT seq FROM place`,
  // $2 most tasks, $3 milliseconds.
  lock: lock(`${LOST} < ${SUSPECT_AFTER}`),
  lockSuspects: lock(`lost >= 1 AND ${LOST} BETWEEN ${SUSPECT_AFTER} AND ${POISON_AFTER - 1}`),
  // $2 most tasks, $3 error.
  killPoison: `
    WITH ${due(`lost >= 1 AND ${LOST} >= ${POISON_AFTER}`)},
    numbered AS (SELECT id, row_number() OVER () AS number FROM due),
    ${next('count(*), -count(*), 0, count(*)', 'due HAVING count(*) > 0')}
    UPDATE modelrun_tasks AS t SET state = 'dead', error = $3, ended_at = ${NOW}, seq = next.seq + 1 - number,
      lost = t.lost + (t.state = 'running')::int
    FROM numbered, next WHERE t.queue = $1 AND t.id = numbered.id RETURNING t.id, t.data, t.attempts, t.lost, t.fence`,
  nextDue: `
    SELECT ${NOW} AS now,
      (SELECT min(due_at) FROM modelrun_tasks WHERE ${OPEN} AND due_at > ${NOW}) AS due_at,
      (SELECT paused_until FROM modelrun_queues WHERE queue = $1) AS paused_until,
      EXISTS (SELECT 1 FROM modelrun_tasks WHERE ${OPEN} AND lost >= 1 AND due_at <= ${NOW} AND ${LOST} >= ${SUSPECT_AFTER})
        AS has_suspect`,
  addQueue: 'INSERT INTO modelrun_queues (queue) VALUES ($1) ON CONFLICT DO NOTHING',
  // $2 wanted, $3 slack, $4 step: how many may start, as in spacing.ts. The time is from before a wait for the row.
  takeStarts: `
    WITH times AS MATERIALIZED (SELECT ${NOW} AS now)
    UPDATE modelrun_queues AS q
    SET granted = ${GRANTED}, next_start = greatest(q.next_start, now) + ${GRANTED} * $4::float8
    FROM times WHERE queue = $1 RETURNING granted, next_start, now`,
  // $2 starts that found no task, $3 step.
  giveBackStarts: 'UPDATE modelrun_queues SET next_start = next_start - $2::int * $3::float8 WHERE queue = $1',
  // $2 fences as JSON, $3 milliseconds.
  // A task that another transaction has locked counts as lost, so that the other tasks do not wait for it.
  renew: `
    WITH mine AS (
      SELECT t.id FROM modelrun_tasks AS t, json_to_recordset($2::json) AS f (id text, fence int)
      WHERE t.queue = $1 AND t.id = f.id AND t.state = 'running' AND t.fence = f.fence FOR UPDATE OF t SKIP LOCKED
    )
    UPDATE modelrun_tasks AS t SET due_at = ${NOW} + $3::float8 FROM mine
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id`,
  // $3 fence, $4 state, $5 result, $6 error.
  end: `
    WITH ${mine(HELD)}, ${next("1, -1, ($4 = 'done')::int, ($4 = 'dead')::int", 'mine')}
    UPDATE modelrun_tasks AS t SET state = $4, result = $5, error = $6, ended_at = ${NOW}, seq = next.seq FROM mine, next
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id`,
  // $3 fence, $4 failed attempts to add, $5 milliseconds.
  postpone: `
    WITH ${mine(HELD)}
    UPDATE modelrun_tasks AS t SET state = 'waiting', attempts = attempts + $4::int, due_at = ${NOW} + $5::float8 FROM mine
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id`,
  // $3 fence. Another worker has locked the task since, and has counted this fence as lost.
  uncountLoss: `
    WITH ${mine('t.fence > $3::int AND t.lost > 0')}
    UPDATE modelrun_tasks AS t SET lost = t.lost - 1 FROM mine WHERE t.queue = $1 AND t.id = mine.id`,
  // $2 milliseconds.
  pause: `
    INSERT INTO modelrun_queues AS q (queue, paused_until) VALUES ($1, ${NOW} + $2::float8)
    ON CONFLICT (queue) DO UPDATE SET paused_until = greatest(q.paused_until, excluded.paused_until)`,
  get: 'SELECT * FROM modelrun_tasks WHERE queue = $1 AND id = $2',
  // $2 state, $3 cursor, $4 limit.
  list: `
    SELECT * FROM modelrun_tasks WHERE queue = $1 AND state = $2 AND seq > $3::bigint ORDER BY seq LIMIT $4::int`,
  count: `
    SELECT open, done, dead,
      (SELECT count(*) FROM modelrun_tasks WHERE queue = $1 AND state = 'running') AS running
    FROM modelrun_queues WHERE queue = $1`,
  // $1 name, $2 amount, $3 limit.
  tally: `
    INSERT INTO modelrun_tallies AS t (name, value) SELECT $1, $2::float8 WHERE $2::float8 <= $3::float8
    ON CONFLICT (name) DO UPDATE SET value = t.value + $2::float8
      WHERE $2::float8 <= 0 OR t.value + $2::float8 <= $3::float8
    RETURNING value`,
  replay: `
    WITH ${mine("t.state = 'dead'")}, ${next('1, 1, 0, -1', 'mine')}
    UPDATE modelrun_tasks AS t
    SET state = 'waiting', attempts = 0, lost = 0, error = NULL, ended_at = NULL, due_at = ${NOW}, seq = next.seq
    FROM mine, next WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id`,
  // The counters first: until then, who adds the same task does not wait for its end.
  remove: `
    WITH ${mine(`(t.state <> 'running' OR t.due_at <= ${NOW})`)},
    ${next("0, -(state IN ('waiting', 'running'))::int, -(state = 'done')::int, -(state = 'dead')::int", 'mine')}
    DELETE FROM modelrun_tasks AS t USING mine, next WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id`,
} as const
