import type { Engine } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeWithPostgres } from '../services/with-postgres.ts'

/** The changes that a run must not lose once they were acknowledged; each leaves what `readBack` finds. */
const CHANGES: readonly { title: string; change(engine: Engine): Promise<unknown>; readBack: string }[] = [
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
      for (const queue of ['lock', 'mark']) await createPostgresEngine(database.pool).add(queue, 'a', { data: null })
      await database.pool.query('ALTER DATABASE postgres SET synchronous_commit = off')
    })

    it.each(CHANGES)('synchronous_commit off: a crash does not lose $title', async ({ change, readBack }) => {
      await database.pool.query('CHECKPOINT')
      const own = new pg.Pool({ connectionString: database.service.url })
      own.on('error', () => {})
      own.on('connect', (connection) => connection.on('error', () => {}))
      const engine = createPostgresEngine(own, { onError: () => {} })
      await change(engine)
      await database.service.crash()
      expect((await database.pool.query(readBack)).rows).toEqual([{ count: '1' }])
      await own.end()
      // Its handler never ends.
      void engine.close()
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
