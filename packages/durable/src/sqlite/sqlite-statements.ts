/**
 * How often a task has lost its process. A task whose run was started, and that still runs after the end of its lock, has just
 * lost it.
 */
const LOST = "lost + (state = 'running' AND started = fence)"

const OPEN = "queue = :queue AND state IN ('waiting', 'running')"

/** The statements of the SQLite engine. `:queue` and `:id` name a task, `:now` is the time. */
export const SQL = {
  add: `
    INSERT INTO modelrun_tasks (queue, id, state, data, due_at, added_at, seq)
    VALUES (:queue, :id, 'waiting', :data, :dueAt, :now, :seq) ON CONFLICT DO NOTHING`,
  update: `
    UPDATE modelrun_tasks SET data = :data, due_at = CASE state WHEN 'waiting' THEN :dueAt ELSE due_at END
    WHERE queue = :queue AND id = :id RETURNING id`,
  guard: `
    SELECT 1 FROM modelrun_tasks
    WHERE queue = :queue AND id = :id AND added_at = :addedAt AND fence = coalesce(:fence, fence)`,
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
  resume: 'UPDATE modelrun_queues SET paused_until = 0 WHERE queue = :queue',
  firstDue: `SELECT min(due_at) AS due_at FROM modelrun_tasks WHERE ${OPEN}`,
  due: `
    SELECT id, data, attempts, fence, added_at, ${LOST} AS lost FROM modelrun_tasks
    WHERE ${OPEN} AND due_at BETWEEN :from AND :to ORDER BY due_at, rowid LIMIT :limit`,
  one: `
    SELECT id, data, attempts, fence, added_at, state, due_at, ${LOST} AS lost FROM modelrun_tasks
    WHERE ${OPEN} AND id = :id`,
  lock: `
    UPDATE modelrun_tasks SET state = 'running', fence = fence + 1, lost = :lost, due_at = :dueAt
    WHERE queue = :queue AND id = :id`,
  nextDue: `SELECT min(due_at) AS due_at FROM modelrun_tasks WHERE ${OPEN} AND due_at > :now`,
  renew: `
    UPDATE modelrun_tasks SET due_at = :dueAt WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence
    RETURNING id`,
  // The fence of the last run that was started. Not when the lock is over: another worker may take the task at any time.
  markStarted: `
    UPDATE modelrun_tasks SET started = fence, started_at = :now
    WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence AND due_at > :now RETURNING id`,
  end: `
    UPDATE modelrun_tasks SET state = :state, result = :result, error = :error, ended_at = :now, seq = :seq
    WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence RETURNING id`,
  postpone: `
    UPDATE modelrun_tasks SET state = 'waiting', attempts = attempts + :failed, due_at = :dueAt
    WHERE queue = :queue AND id = :id AND state = 'running' AND fence = :fence RETURNING id`,
  get: 'SELECT * FROM modelrun_tasks WHERE queue = :queue AND id = :id',
  list: `
    SELECT * FROM modelrun_tasks WHERE queue = :queue AND state = :state AND seq > :after ORDER BY seq LIMIT :limit`,
  count: 'SELECT state, count FROM modelrun_counts WHERE queue = :queue',
  readTally: 'SELECT value FROM modelrun_tallies WHERE name = :name',
  setTally: `
    INSERT INTO modelrun_tallies (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value`,
  addTally: 'UPDATE modelrun_tallies SET value = value + :amount WHERE name = :name',
  removeTally: 'DELETE FROM modelrun_tallies WHERE name = :name RETURNING value',
  replay: `
    UPDATE modelrun_tasks SET state = 'waiting', attempts = 0, lost = 0, error = NULL, ended_at = NULL, due_at = :dueAt, seq = :seq
    WHERE queue = :queue AND id = :id AND state = 'dead' RETURNING id`,
  remove: `DELETE FROM modelrun_tasks WHERE queue = :queue AND id = :id AND (state <> 'running' OR due_at <= :now) RETURNING id`,
} as const
