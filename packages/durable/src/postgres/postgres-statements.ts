import type { Guard } from '../engine/engine.ts'
import type { PostgresValue } from './postgres-connection.ts'

/** `clock_timestamp()` and not `now()`, which stays the same while a statement waits. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::float8'

/**
 * How often a task has lost its process. One whose run was started, and that still runs after the end of its lock, has just lost
 * it.
 */
const LOST = `t.lost + (t.state = 'running' AND t.started = t.fence)::int`

const OPEN = `queue = $1 AND state IN ('waiting', 'running')`

/** Rows of counters of a queue: what ends at the same time mostly changes different rows, and does not wait for each other. */
const SHARDS = 16

/** Changes the counters of a queue, which change where tasks change: to count a million of them takes long. */
const counts = (changes: { open: string; done: string; dead: string; of: string }) => `
    INSERT INTO modelrun_counts AS c (queue, shard, open, done, dead)
    SELECT $1, pg_backend_pid() % ${SHARDS}, ${changes.open}, ${changes.done}, ${changes.dead} FROM ${changes.of}
    ON CONFLICT (queue, shard) DO UPDATE SET open = c.open + excluded.open, done = c.done + excluded.done, dead = c.dead + excluded.dead`

const GATE = 'hashtextextended($1, 5217046239)'

/**
 * Goes before each change of `seq`, the place in the lists: statements that have a place hold the gate until they are committed,
 * and do not wait for each other. A list waits for them ({@link SQL.newest}), so that its pages miss no place of a late commit.
 */
const gate = (source: string) =>
  `gate AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${GATE}) FROM ${source} LIMIT 1)`

/** The worker still has the lock of the task. */
const HELD = "t.state = 'running' AND t.fence = $3::int"

/**
 * Goes into RETURNING of each change but `renew`: it makes the commit wait for the disk, also where `synchronous_commit` is off. The
 * process outlives a crash of the database and continues with what it has stored: a mark that is lost would let a run be paid twice, a
 * reserved amount would let a batch cost more than its limit. Stricter settings stay.
 */
export const TO_DISK = `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
    THEN set_config('synchronous_commit', 'on', true) END AS to_disk`

/** How long a statement waits for another transaction that has locked its task. */
const LONGEST_WAIT_MS = 500

const PATIENCE = `patience AS MATERIALIZED (SELECT set_config('lock_timeout', '${LONGEST_WAIT_MS}', true))`

/** Where a change depends on a task, see {@link guarded}. */
const GUARD = '/* guard */'

/** Returns the parameters of a change that does nothing without a task: they end with those of the task. */
export function guarded(sql: string, values: PostgresValue[], guard: Guard): [sql: string, values: PostgresValue[]] {
  const { queue, id, addedAt = null, fence = null } = guard
  const [q, i, a, f] = [1, 2, 3, 4].map((place) => `$${values.length + place}`)
  const task = `g.queue = ${q} AND g.id = ${i} AND floor(g.added_at) = ${a}::float8 AND g.fence = coalesce(${f}::int, g.fence)`
  const exists = `AND EXISTS (SELECT FROM modelrun_tasks AS g WHERE ${task})`
  return [sql.replace(GUARD, () => exists), [...values, queue, id, addedAt, fence]]
}

/** Locks the task `$2`. Before the gate and the counters: else one other transaction could stop the queue. */
const mine = (condition: string) => `
  ${PATIENCE},
  mine AS (
    SELECT t.id, t.state FROM modelrun_tasks AS t, patience WHERE t.queue = $1 AND t.id = $2 AND ${condition} ${GUARD} FOR UPDATE OF t
  )`

const NOT_PAUSED = `NOT EXISTS (SELECT 1 FROM modelrun_queues WHERE queue = $1 AND paused_until > ${NOW})`

/** The last start was taken with a lower rate than that of this worker, and does not count. */
const OTHER_RATE = 'q.next_start > excluded.next_start + $3::float8'

/**
 * Locks due tasks, without those that other workers are locking at this moment. With a rate it locks one, and takes its start.
 * $2 milliseconds, $3 slack and $4 step of the rate, or null.
 */
const lock = (condition: string, limit: string) => `
  WITH due AS (
    SELECT id, ${NOW} AS now FROM modelrun_tasks AS t WHERE ${OPEN} AND ${condition}
    ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  ),
  start AS (
    INSERT INTO modelrun_queues AS q (queue, next_start)
    SELECT $1, now + $4::float8 FROM due WHERE $4::float8 IS NOT NULL
    ON CONFLICT (queue) DO UPDATE
      SET next_start = CASE WHEN ${OTHER_RATE} THEN excluded.next_start ELSE greatest(q.next_start + $4::float8, excluded.next_start) END
      WHERE q.next_start - $3::float8 < excluded.next_start - $4::float8 OR ${OTHER_RATE}
    RETURNING next_start
  )
  UPDATE modelrun_tasks AS t
  SET state = 'running', fence = fence + 1, lost = ${LOST}, due_at = ${NOW} + $2::float8
  FROM due WHERE t.queue = $1 AND t.id = due.id AND ($4::float8 IS NULL OR EXISTS (SELECT FROM start))
  RETURNING t.id, t.data, t.attempts, t.lost, t.fence, t.added_at, due.now, (SELECT next_start FROM start), ${TO_DISK}`

export const CHANNEL = 'modelrun_tasks_due'

/** The statements of the Postgres engine. Each is atomic. `$1` is the queue, `$2` mostly the id of the task. */
export const SQL = {
  // $3 data, $4 delay.
  add: `
    WITH ${gate('(SELECT) AS t')},
    added AS (
      INSERT INTO modelrun_tasks (queue, id, state, data, due_at, added_at)
      SELECT $1, $2, 'waiting', $3, ${NOW} + $4::float8, ${NOW} FROM gate WHERE true ${GUARD} ON CONFLICT DO NOTHING RETURNING ${TO_DISK}
    )${counts({ open: '1', done: '0', dead: '0', of: 'added' })}`,
  // $3 data.
  update: `
    WITH ${mine('true')}
    UPDATE modelrun_tasks AS t SET data = $3, due_at = CASE t.state WHEN 'waiting' THEN ${NOW} ELSE t.due_at END FROM mine
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id, ${TO_DISK}`,
  // $5 most tasks.
  lock: lock(`due_at <= ${NOW} AND ${NOT_PAUSED}`, '$5::int'),
  // $5 id, $6 whether also before it is due, $7 whether also in a pause.
  lockOne: lock(
    `id = $5 AND (due_at <= ${NOW} OR ($6::int = 1 AND state = 'waiting')) AND ($7::int = 1 OR ${NOT_PAUSED})`,
    '1',
  ),
  nextDue: `
    SELECT ${NOW} AS now, (SELECT min(due_at) FROM modelrun_tasks WHERE ${OPEN} AND due_at > ${NOW}) AS due_at,
      q.paused_until, q.next_start
    FROM (SELECT) AS one LEFT JOIN modelrun_queues AS q ON q.queue = $1`,
  // $2 id: why a task cannot be locked.
  one: `
    SELECT state, due_at, ${NOW} AS now, q.paused_until, q.next_start
    FROM modelrun_tasks AS t LEFT JOIN modelrun_queues AS q ON q.queue = t.queue
    WHERE t.queue = $1 AND id = $2 AND state IN ('waiting', 'running')`,
  // $1 the queues as JSON.
  nextDueOf: `
    SELECT f.queue, greatest(t.due_at, coalesce(q.paused_until, 0)) - ${NOW} AS ms
    FROM json_array_elements_text($1::text::json) AS f (queue)
    CROSS JOIN LATERAL (
      SELECT min(due_at) AS due_at FROM modelrun_tasks AS t WHERE t.queue = f.queue AND state IN ('waiting', 'running')
    ) AS t LEFT JOIN modelrun_queues AS q ON q.queue = f.queue
    WHERE t.due_at IS NOT NULL`,
  notify: `SELECT pg_notify('${CHANNEL}', '')`,
  // $2 fences as JSON, $3 milliseconds.
  // A task that another transaction has locked counts as lost, so that the other tasks do not wait for it. The cast to text:
  // the client `postgres` would write a parameter of type json as JSON once more.
  renew: `
    WITH mine AS (
      SELECT t.id FROM modelrun_tasks AS t, json_to_recordset($2::text::json) AS f (id text, fence int)
      WHERE t.queue = $1 AND t.id = f.id AND t.state = 'running' AND t.fence = f.fence FOR UPDATE OF t SKIP LOCKED
    )
    UPDATE modelrun_tasks AS t SET due_at = ${NOW} + $3::float8 FROM mine
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id`,
  // $2 fences as JSON. `started` is the fence of the last run that was started. Not when the lock is over: another worker may
  // take the task at any time. Skips a task that another transaction has locked, so that the other tasks do not wait for it.
  markStarted: `
    WITH mine AS (
      SELECT t.id FROM modelrun_tasks AS t, json_to_recordset($2::text::json) AS f (id text, fence int)
      WHERE t.queue = $1 AND t.id = f.id AND t.state = 'running' AND t.fence = f.fence AND t.due_at > ${NOW}
      FOR UPDATE OF t SKIP LOCKED
    )
    UPDATE modelrun_tasks AS t SET started = t.fence, started_at = ${NOW} FROM mine
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id, ${TO_DISK}`,
  // $3 fence, $4 state, $5 result, $6 error.
  end: `
    WITH ${mine(HELD)}, ${gate('mine')},
    counted AS (${counts({ open: '-1', done: "($4 = 'done')::int", dead: "($4 = 'dead')::int", of: 'mine' })})
    UPDATE modelrun_tasks AS t SET state = $4, result = $5, error = $6, ended_at = ${NOW}, seq = DEFAULT FROM mine, gate
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id, ${TO_DISK}`,
  // $3 fence, $4 failed attempts to add, $5 milliseconds.
  postpone: `
    WITH ${mine(HELD)}
    UPDATE modelrun_tasks AS t SET state = 'waiting', attempts = attempts + $4::int, due_at = ${NOW} + $5::float8 FROM mine
    WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id, ${TO_DISK}`,
  // $2 milliseconds.
  pause: `
    INSERT INTO modelrun_queues AS q (queue, paused_until) VALUES ($1, ${NOW} + $2::float8)
    ON CONFLICT (queue) DO UPDATE SET paused_until = greatest(q.paused_until, excluded.paused_until) RETURNING ${TO_DISK}`,
  resume: `UPDATE modelrun_queues SET paused_until = 0 WHERE queue = $1 RETURNING ${TO_DISK}`,
  isPaused: `SELECT paused_until > ${NOW} AS is_paused FROM modelrun_queues WHERE queue = $1`,
  firstDue: `SELECT min(due_at) - ${NOW} AS ms FROM modelrun_tasks WHERE ${OPEN}`,
  get: 'SELECT * FROM modelrun_tasks WHERE queue = $1 AND id = $2',
  // $1 the queues and ids as JSON.
  getAll: `
    SELECT t.* FROM json_to_recordset($1::text::json) AS f (queue text, id text)
    JOIN modelrun_tasks AS t ON t.queue = f.queue AND t.id = f.id`,
  // $2 state, $3 cursor. The last place that a list may have: all places before it are committed when this ends, or never will be.
  newest: `
    WITH ${PATIENCE},
    newest AS MATERIALIZED (SELECT max(seq) AS seq FROM modelrun_tasks WHERE queue = $1 AND state = $2 AND seq > $3::bigint),
    gate AS MATERIALIZED (SELECT seq, pg_advisory_xact_lock(${GATE}) FROM newest, patience WHERE seq IS NOT NULL)
    SELECT seq FROM gate`,
  // $2 state, $3 cursor, $4 limit, $5 last place.
  list: `
    SELECT * FROM modelrun_tasks WHERE queue = $1 AND state = $2 AND seq > $3::bigint AND seq <= $5::bigint
    ORDER BY seq LIMIT $4::int`,
  count: `
    SELECT sum(open) AS open, sum(done) AS done, sum(dead) AS dead,
      (SELECT count(*) FROM modelrun_tasks WHERE queue = $1 AND state = 'running') AS running
    FROM modelrun_counts WHERE queue = $1`,
  total: 'SELECT value FROM modelrun_tallies WHERE name = $1',
  // $1 name, $2 amount, $3 limit, $4 name of the part.
  // Of two calls with one part at the same time, the unique key of the part lets one fail, which is repeated.
  reserve: `
    WITH known AS (SELECT value FROM modelrun_tallies WHERE name = $4),
    total AS (
      INSERT INTO modelrun_tallies AS t (name, value)
      SELECT $1, $2::float8 WHERE $2::float8 <= $3::float8 AND NOT EXISTS (SELECT FROM known) ${GUARD}
      ON CONFLICT (name) DO UPDATE SET value = t.value + $2::float8 WHERE t.value + $2::float8 <= $3::float8
      RETURNING value),
    part AS (INSERT INTO modelrun_tallies (name, value) SELECT $4, $2::float8 FROM total RETURNING value)
    SELECT value, ${TO_DISK} FROM part UNION ALL SELECT value, NULL FROM known`,
  release: `
    WITH part AS (DELETE FROM modelrun_tallies WHERE name = $2 ${GUARD} RETURNING value)
    UPDATE modelrun_tallies AS t SET value = t.value - part.value FROM part WHERE t.name = $1 RETURNING ${TO_DISK}`,
  replay: `
    WITH ${mine("t.state = 'dead'")}, ${gate('mine')}, counted AS (${counts({ open: '1', done: '0', dead: '-1', of: 'mine' })})
    UPDATE modelrun_tasks AS t
    SET state = 'waiting', attempts = 0, lost = 0, error = NULL, ended_at = NULL, due_at = ${NOW}, seq = DEFAULT
    FROM mine, gate WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id, ${TO_DISK}`,
  remove: `
    WITH ${mine(`(t.state <> 'running' OR t.due_at <= ${NOW})`)},
    counted AS (${counts({ open: "-(state IN ('waiting', 'running'))::int", done: "-(state = 'done')::int", dead: "-(state = 'dead')::int", of: 'mine' })})
    DELETE FROM modelrun_tasks AS t USING mine WHERE t.queue = $1 AND t.id = mine.id RETURNING t.id, ${TO_DISK}`,
} as const
