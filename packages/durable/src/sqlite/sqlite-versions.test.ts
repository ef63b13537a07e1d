import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { createSqliteEngine } from './sqlite-engine.ts'
import { VERSIONS } from './sqlite-versions.ts'

/** The tables of version 1, which had no version table, with a task that waits, one that runs and one that is done. */
const VERSION_1 = `
  CREATE TABLE modelrun_tasks (
    queue TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL, result TEXT, error TEXT,
    attempts INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, fence INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL, added_at INTEGER NOT NULL, ended_at INTEGER, seq INTEGER NOT NULL,
    PRIMARY KEY (queue, id)
  );
  CREATE INDEX modelrun_tasks_open ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running');
  CREATE INDEX modelrun_tasks_lost ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running') AND lost >= 1;
  CREATE INDEX modelrun_tasks_state ON modelrun_tasks (queue, state, seq);
  CREATE TABLE modelrun_queues (
    queue TEXT PRIMARY KEY, next_start REAL NOT NULL DEFAULT 0, paused_until INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE modelrun_tallies (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE modelrun_counts (
    queue TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (queue, state)
  ) WITHOUT ROWID;
  CREATE TRIGGER modelrun_tasks_added AFTER INSERT ON modelrun_tasks BEGIN
    INSERT INTO modelrun_counts (queue, state, count) VALUES (NEW.queue, NEW.state, 1)
    ON CONFLICT (queue, state) DO UPDATE SET count = count + 1; END;
  CREATE TRIGGER modelrun_tasks_removed AFTER DELETE ON modelrun_tasks BEGIN
    INSERT INTO modelrun_counts (queue, state, count) VALUES (OLD.queue, OLD.state, -1)
    ON CONFLICT (queue, state) DO UPDATE SET count = count + -1; END;
  CREATE TRIGGER modelrun_tasks_changed AFTER UPDATE OF state ON modelrun_tasks BEGIN
    INSERT INTO modelrun_counts (queue, state, count) VALUES (OLD.queue, OLD.state, -1)
    ON CONFLICT (queue, state) DO UPDATE SET count = count + -1;
    INSERT INTO modelrun_counts (queue, state, count) VALUES (NEW.queue, NEW.state, 1)
    ON CONFLICT (queue, state) DO UPDATE SET count = count + 1; END;
  INSERT INTO modelrun_tallies VALUES (' seq', 3), ('q:credits', 7);
  INSERT INTO modelrun_tasks (queue, id, state, data, fence, due_at, added_at, seq) VALUES
    ('q', 'waits', 'waiting', '{"n":1}', 0, 0, 1, 1), ('q', 'runs', 'running', '{"n":2}', 3, 9e15, 1, 2);
  INSERT INTO modelrun_tasks (queue, id, state, data, result, fence, due_at, added_at, ended_at, seq)
    VALUES ('q', 'is done', 'done', '{"n":3}', '"r"', 1, 0, 1, 2, 3);`

let path: string

beforeEach(() => {
  path = join(folderForTest(), 'tasks.db')
})

function change(sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

it('migrates the tables of version 1, and keeps all rows', async () => {
  change(VERSION_1)
  const engine = createSqliteEngine({ path, pollMs: 20 })
  await engine.setup()
  await engine.setup()
  expect(await engine.count('q')).toEqual({ waiting: 1, running: 1, done: 1, dead: 0 })
  expect(await engine.get('q', 'is done')).toMatchObject({ data: { n: 3 }, result: 'r' })
  expect(await engine.total('q:credits')).toBe(7)
  engine.work('q', async ({ data }) => data)
  await expect.poll(() => engine.get('q', 'waits')).toMatchObject({ state: 'done', result: { n: 1 } })
  await engine.close()
  const database = new DatabaseSync(path)
  const { version } = database.prepare('SELECT max(version) AS version FROM modelrun_version').get() ?? {}
  database.close()
  expect(version).toBe(VERSIONS.length)
})

it('rejects the tables of a newer version', async () => {
  const setup = async () => {
    const engine = createSqliteEngine({ path })
    await engine.setup().finally(() => engine.close())
  }
  await setup()
  change(`INSERT INTO modelrun_version VALUES (${VERSIONS.length + 1})`)
  await expect(setup()).rejects.toThrow(/of version \d+: a newer @modelrun\/durable.*Update it/)
  change(`DELETE FROM modelrun_version WHERE version > ${VERSIONS.length}`)
  await setup()
  change("ALTER TABLE modelrun_tasks ADD COLUMN extra TEXT DEFAULT 'x'")
  await setup() // does no harm
})

it('is set up by many processes at once', async () => {
  change(VERSION_1)
  const program = `
    import { createSqliteEngine } from ${JSON.stringify(new URL('./sqlite-engine.ts', import.meta.url).href)}
    const engine = createSqliteEngine({ path: ${JSON.stringify(path)} })
    await engine.setup()
    await engine.add('many', String(process.pid), { data: null })
    await engine.close()`
  const args = ['--conditions=@modelrun/source', '--input-type=module', '-e', program]
  await Promise.all(Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args)))
  const engine = createSqliteEngine({ path })
  expect(await engine.count('many')).toMatchObject({ waiting: 4 })
  await engine.close()
})
