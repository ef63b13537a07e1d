import type { Engine } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeWithPostgres } from '../services/with-postgres.ts'

/** The changes that must not be lost once they were acknowledged; each leaves one row that `readBack` counts. */
const CHANGES: readonly {
  title: string
  change(engine: Engine): Promise<unknown>
  readBack: string
  schema?: string
}[] = [
  {
    title: 'the tables',
    schema: 'fresh',
    change: (engine) => engine.setup(),
    readBack: 'SELECT count(*) FROM fresh.modelrun_version WHERE version = 1',
  },
  {
    title: 'a counted amount',
    change: (engine) => engine.reserve('credits', 'a', { amount: 4 }),
    readBack: "SELECT count(*) FROM modelrun_tallies WHERE name = 'credits' AND value = 4",
  },
  {
    title: 'an amount that was given back',
    change: (engine) => engine.release('given', 'a'),
    readBack: "SELECT count(*) FROM modelrun_tallies WHERE name = 'given' AND value = 0",
  },
  {
    title: 'a pause',
    change: (engine) => engine.pause('pause'),
    readBack: "SELECT count(*) FROM modelrun_queues WHERE queue = 'pause' AND paused_until > 0",
  },
  {
    title: 'a removal',
    change: (engine) => engine.remove('remove', 'a'),
    readBack:
      "SELECT count(*) FROM (SELECT) AS one WHERE NOT EXISTS (SELECT FROM modelrun_tasks WHERE queue = 'remove')",
  },
  {
    title: 'a new task',
    change: (engine) => engine.add('add', 'a', { data: null }),
    readBack: "SELECT count(*) FROM modelrun_tasks WHERE queue = 'add'",
  },
  {
    title: 'a lock',
    change: (engine) =>
      new Promise((resolve) =>
        engine.work('lock', ({ id }) => new Promise(() => resolve(id)), { lockMs: 60_000, startMark: 'handler' }),
      ),
    readBack: "SELECT count(*) FROM modelrun_tasks WHERE queue = 'lock' AND state = 'running'",
  },
  {
    title: 'the mark of a run that was started',
    change: (engine) =>
      new Promise((resolve) =>
        engine.work('mark', (task) => task.markStarted().then(() => new Promise(() => resolve(task.id))), {
          lockMs: 60_000,
          startMark: 'handler',
        }),
      ),
    readBack: "SELECT count(*) FROM modelrun_tasks WHERE queue = 'mark' AND started = fence",
  },
]

describeWithPostgres(
  'Postgres with settings that others chose',
  (database) => {
    beforeAll(async () => {
      await createPostgresEngine(database.pool).setup()
      const engine = createPostgresEngine(database.pool)
      for (const queue of ['lock', 'mark', 'remove']) await engine.add(queue, 'a', { data: null })
      await engine.reserve('given', 'a', { amount: 4 })
      await database.pool.query('ALTER DATABASE postgres SET synchronous_commit = off')
    })

    it.each(CHANGES)('synchronous_commit off: a crash does not lose $title', async ({ change, readBack, schema }) => {
      await database.pool.query('CHECKPOINT')
      const own = new pg.Pool({ connectionString: database.service.url })
      own.on('error', () => {})
      own.on('connect', (connection) => connection.on('error', () => {}))
      const engine = createPostgresEngine(own, { schema, onError: () => {} })
      await change(engine)
      await database.service.crash()
      expect((await database.pool.query(readBack)).rows).toEqual([{ count: '1' }])
      await own.end()
      // Its handler never ends.
      void engine.close()
    })

    it('a session that was opened while the database took no changes is left', async () => {
      await database.pool.query('CREATE DATABASE frozen')
      const sql = postgres(database.service.url.replace(/postgres$/, 'frozen'), { max: 1, onnotice: () => {} })
      const engine = createPostgresEngine(sql)
      onTestFinished(() => sql.end())
      await engine.setup()
      await database.pool.query('ALTER DATABASE frozen SET default_transaction_read_only = on')
      await database.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'frozen'")
      const add = () => engine.add('frozen', 'a', { data: null }).catch(String)
      await expect.poll(add).toMatch('read-only transaction')
      await database.pool.query('ALTER DATABASE frozen RESET default_transaction_read_only')
      await expect.poll(add).toBeUndefined()
    })

    it.each(['serializable', 'repeatable read'])('%s as default: nothing fails', async (isolation) => {
      const name = isolation.replace(' ', '_')
      await database.pool.query(`CREATE DATABASE ${name}`)
      await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
      const own = new pg.Pool({ connectionString: database.service.url.replace(/postgres$/, name), max: 20 })
      const errors: unknown[] = []
      const engines = [1, 2].map(() =>
        createPostgresEngine(own, { pollMs: 50, onError: (error) => errors.push(error) }),
      )
      onTestFinished(async () => {
        await Promise.all(engines.map((engine) => engine.close()))
        await own.end()
      })
      await Promise.all(engines.map((engine) => engine.setup()))
      const counts = new Map<string, number>()
      for (const engine of engines) {
        engine.work('tasks', async ({ id }) => void counts.set(id, (counts.get(id) ?? 0) + 1), { concurrency: 5 })
      }
      const ids = Array.from({ length: 60 }, (_, index) => `t${index}`)
      await Promise.all(ids.map((id, index) => engines[index % 2]?.add('tasks', id, { data: null })))
      await expect.poll(() => engines[0]?.count('tasks')).toMatchObject({ done: 60 })
      expect([...counts.values()].filter((count) => count !== 1)).toEqual([])
      expect(errors).toEqual([])
    })
  },
  // Without them, its writer would make the loss of a commit a matter of luck.
  { settings: { wal_writer_delay: '10000ms', wal_writer_flush_after: '100MB' } },
)
