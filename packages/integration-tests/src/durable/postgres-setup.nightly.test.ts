import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { startPgbouncer } from '../services/pgbouncer.ts'
import { describeWithPostgres } from '../services/with-postgres.ts'

/** The tables of version 1, which had no version table, with a task that waits, one that runs and one that is done. */
const VERSION_1 = `
  CREATE TABLE modelrun_tasks (
    queue text NOT NULL, id text NOT NULL, state text NOT NULL, data text NOT NULL, result text, error text,
    attempts int NOT NULL DEFAULT 0, lost int NOT NULL DEFAULT 0, fence int NOT NULL DEFAULT 0,
    due_at float8 NOT NULL, added_at float8 NOT NULL, ended_at float8, seq bigint NOT NULL, PRIMARY KEY (queue, id)
  );
  CREATE INDEX modelrun_tasks_open ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running');
  CREATE INDEX modelrun_tasks_lost ON modelrun_tasks (queue, due_at) WHERE state IN ('waiting', 'running') AND lost >= 1;
  CREATE INDEX modelrun_tasks_state ON modelrun_tasks (queue, state, seq);
  CREATE TABLE modelrun_queues (
    queue text PRIMARY KEY, seq bigint NOT NULL DEFAULT 0, open bigint NOT NULL DEFAULT 0,
    done bigint NOT NULL DEFAULT 0, dead bigint NOT NULL DEFAULT 0, granted int NOT NULL DEFAULT 0,
    next_start float8 NOT NULL DEFAULT 0, paused_until float8 NOT NULL DEFAULT 0
  );
  CREATE TABLE modelrun_tallies (name text PRIMARY KEY, value float8 NOT NULL);
  INSERT INTO modelrun_tallies VALUES ('q:credits', 7);
  INSERT INTO modelrun_queues (queue, seq, open, done) VALUES ('q', 3, 2, 1);
  INSERT INTO modelrun_tasks (queue, id, state, data, fence, due_at, added_at, seq) VALUES
    ('q', 'waits', 'waiting', '{"n":1}', 0, 0, 1, 1), ('q', 'runs', 'running', '{"n":2}', 3, 9e15, 1, 2);
  INSERT INTO modelrun_tasks (queue, id, state, data, result, fence, due_at, added_at, ended_at, seq)
    VALUES ('q', 'is done', 'done', '{"n":3}', '"r"', 1, 0, 1, 2, 3)`

/** What version 2 added. */
const VERSION_2 = `${VERSION_1};
  ALTER TABLE modelrun_tasks ADD COLUMN started int NOT NULL DEFAULT 0;
  UPDATE modelrun_tasks SET started = fence WHERE state = 'running';
  CREATE TABLE modelrun_version (version int PRIMARY KEY);
  INSERT INTO modelrun_version VALUES (1), (2)`

describeWithPostgres('setup of the Postgres engine', (database) => {
  async function newDatabase(name: string): Promise<pg.Pool> {
    await database.pool.query(`CREATE DATABASE ${name}`)
    const pool = new pg.Pool({ connectionString: database.service.url.replace(/postgres$/, name), max: 20 })
    onTestFinished(() => pool.end())
    return pool
  }

  it.each<[string, (rows: Record<string, unknown>[], text: string) => unknown, RegExp]>([
    [
      'renames columns',
      (rows) => rows.map(({ is_due: isDue, ...row }) => ({ isDue, ...row })),
      /renames columns: is_due is isDue/,
    ],
    ['changes NULL', (rows) => rows.map((row) => ({ ...row, due_at: undefined })), /changes NULL to undefined/],
    [
      'returns rows and their number',
      (rows, text) => (text.startsWith('DELETE') ? [rows, 0] : rows),
      /more than the rows of a change/,
    ],
  ])('rejects a client that %s', async (title, change, message) => {
    const pool = await newDatabase(`shape_${title.slice(0, 3)}${title.length}`)
    const engine = createPostgresEngine(async (text, values) => change((await pool.query(text, values)).rows, text))
    await expect(engine.setup()).rejects.toThrow(message)
  })

  it.each([
    [1, VERSION_1],
    [2, VERSION_2],
  ])('migrates the tables of version %i, by many processes at once, and keeps all rows', async (version, tables) => {
    const pool = await newDatabase(`old_${version}`)
    await pool.query(tables)
    const engine = createPostgresEngine(pool, { pollMs: 50 })
    const others = Array.from({ length: 8 }, () => createPostgresEngine(pool))
    await Promise.all([engine, ...others].map((one) => one.setup()))
    expect(await engine.count('q')).toEqual({ waiting: 1, running: 1, done: 1, dead: 0 })
    expect(await engine.get('q', 'is done')).toMatchObject({ data: { n: 3 }, result: 'r' })
    expect(await engine.total('q:credits')).toBe(7)
    engine.work('q', async ({ data }) => data)
    await expect.poll(() => engine.get('q', 'waits')).toMatchObject({ state: 'done', result: { n: 1 } })
    // Whether it has started is unknown: it counts as started.
    await pool.query("UPDATE modelrun_tasks SET due_at = 0 WHERE id = 'runs'")
    await expect.poll(() => engine.get('q', 'runs')).toMatchObject({ state: 'done' })
    expect((await pool.query("SELECT lost FROM modelrun_tasks WHERE id = 'runs'")).rows).toEqual([{ lost: 1 }])
    expect((await engine.list('q', 'done')).map(({ id }) => id)).toEqual(['is done', 'waits', 'runs'])
    expect(await engine.count('q')).toEqual({ waiting: 0, running: 0, done: 3, dead: 0 })
    await engine.close()
  })

  it('is not confused by a migration of another process between its statements', async () => {
    const pool = await newDatabase('between')
    await pool.query(VERSION_2)
    let hasMigrated = false
    const query = async (text: string, values: unknown[]) => {
      const result = await pool.query(text, values)
      if (!hasMigrated) await createPostgresEngine(pool).setup()
      hasMigrated = true
      return result
    }
    const engine = createPostgresEngine(query)
    await engine.setup()
    expect(await engine.count('q')).toEqual({ waiting: 1, running: 1, done: 1, dead: 0 })
  })

  it('rejects the tables of a newer version', async () => {
    const pool = await newDatabase('foreign_tables')
    const setup = () => createPostgresEngine(pool).setup()
    await setup()
    await pool.query('INSERT INTO modelrun_version VALUES (999)')
    await expect(setup()).rejects.toThrow(/of version 999: a newer @modelrun\/durable.*Update it/)
    await pool.query('DELETE FROM modelrun_version WHERE version = 999')
    await setup()
    await pool.query('ALTER TABLE modelrun_tasks ADD COLUMN extra text')
    await setup() // does no harm
  })

  it('keeps two applications apart by schema, and creates schemas', async () => {
    const pool = await newDatabase('shared')
    const engines = [undefined, 'one', 'Two'].map((schema) => createPostgresEngine(pool, { schema }))
    await Promise.all([...engines, ...engines].map((engine) => engine.setup()))
    for (const [index, engine] of engines.entries()) await engine.add('q', 'a', { data: index })
    const data = await Promise.all(engines.map(async (engine) => (await engine.get('q', 'a'))?.data))
    expect(data).toEqual([0, 1, 2])
    expect((await pool.query('SELECT data FROM "Two".modelrun_tasks')).rows).toEqual([{ data: '2' }])
    for (const schema of ['', 'a b', 'a"; DROP TABLE x', 'x'.repeat(64)]) {
      expect(() => createPostgresEngine(pool, { schema })).toThrow(/`schema` of/)
    }
  })

  it('is done with the schema of an administrator, by a user who may create none', async () => {
    const pool = await newDatabase('granted')
    await createPostgresEngine(pool, { schema: 'work' }).setup()
    await pool.query('CREATE ROLE granted LOGIN; GRANT USAGE ON SCHEMA work TO granted')
    await pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA work TO granted')
    const url = database.service.url.replace(/postgres@(.*)postgres$/, 'granted@$1granted')
    const engine = createPostgresEngine(url, { schema: 'work' })
    await engine.setup()
    await engine.add('q', 'a', { data: 1 })
    expect(await engine.get('q', 'a')).toMatchObject({ data: 1 })
    await engine.close()
  })

  it('takes a connection string, a pool, a client, `sql` of postgres, and a function', async () => {
    const pool = await newDatabase('taken')
    const url = database.service.url.replace(/postgres$/, 'taken')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const sql = postgres(url, { onnotice: () => {} })
    onTestFinished(async () => {
      await client.end()
      await sql.end()
    })
    const query = (text: string, values: unknown[]) => pool.query(text, values)
    for (const [index, database] of [url, pool, client, sql, query].entries()) {
      const engine = createPostgresEngine(database)
      await engine.setup()
      await engine.add('q', `${index}`, { data: index })
      expect(await engine.get('q', `${index}`)).toMatchObject({ data: index })
      await engine.close()
      await engine.close()
    }
    expect((await pool.query('SELECT count(*) FROM modelrun_tasks')).rows).toEqual([{ count: '5' }])
  })

  it('says what to pass instead of anything else', async () => {
    const pool = await newDatabase('wrong')
    const wrong: [unknown, RegExp][] = [
      [undefined, /a connection string, a pool of pg.*It got undefined/],
      [null, /It got null/],
      ['', /It got the text ""/],
      ['mysql://root@localhost/app', /It got the text "mysq"…/],
      [{ pool }, /It got Object/],
      [Promise.resolve(pool), /It got Promise/],
      [5, /It got number/],
    ]
    for (const [database, message] of wrong) {
      // @ts-expect-error -- what JavaScript allows
      expect(() => createPostgresEngine(database), String(database)).toThrow(message)
    }
    const client = await pool.connect()
    await client.query('BEGIN')
    await expect(createPostgresEngine(client).setup()).rejects.toThrow(/inside of a transaction. Give it the pool/)
    await client.query('ROLLBACK')
    await createPostgresEngine(client).setup()
    client.release(true)
  })
})

describeWithPostgres(
  'the Postgres engine behind PgBouncer with transaction pooling',
  (database) => {
    let url: string
    beforeAll(async () => {
      const bouncer = await startPgbouncer(database.service.port)
      url = bouncer.url
      return bouncer.stop
    })

    it.each(engineChecks(() => createPostgresEngine(url, { pollMs: 50 })))('$name', ({ run }) => run())
  },
  { programs: ['pgbouncer'] },
)
