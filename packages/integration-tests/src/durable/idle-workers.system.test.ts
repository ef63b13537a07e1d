import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { describeWithPostgres } from '../services/with-postgres.ts'

/** So long that no test would end by a poll. */
const NEVER_MS = 600_000

describeWithPostgres('idle workers on Postgres', (database) => {
  it('of 200 queues share one statement for each poll', async () => {
    const statements: string[] = []
    const query = async (text: string, values: unknown[]) => {
      statements.push(text)
      return await database.pool.query(text, values)
    }
    const engine = createPostgresEngine(query, { pollMs: 20 })
    await engine.setup()
    for (let index = 0; index < 200; index += 1) engine.work(`idle-${index}`, async () => undefined)
    // Each worker reads its queue once when it starts.
    await expect.poll(() => statements.filter((text) => text.includes('FROM (SELECT) AS one')).length).toBe(200)
    statements.length = 0
    await expect.poll(() => statements.length).toBeGreaterThan(5)
    expect(new Set(statements).size).toBe(1)
    await engine.close()
  })

  it.each([
    ['a pool of pg', (url: string) => new pg.Pool({ connectionString: url })],
    ['sql of postgres', (url: string) => postgres(url, { onnotice: () => {} })],
    ['a connection string', (url: string) => url],
  ] as const)('learn from another process that a run was added, by %s', async (_, clientOf) => {
    const client = clientOf(database.service.url)
    const engine = createPostgresEngine(client, { pollMs: NEVER_MS })
    const other = createPostgresEngine(database.service.url, { pollMs: NEVER_MS })
    await engine.setup()
    const queue = crypto.randomUUID()
    const ran: string[] = []
    const worker = engine.work(queue, async ({ id }) => void ran.push(id))
    const addOne = async () => {
      await other.add(queue, crypto.randomUUID(), { data: null })
      other.notify?.()
      return ran.length
    }
    // The first ones may come before the worker listens.
    await expect.poll(addOne).toBeGreaterThan(0)
    await worker.stop()
    await engine.close()
    await other.close()
    if (typeof client !== 'string') await client.end()
  })

  it('listen again after their connection has ended, and hold none once they have stopped', async () => {
    const pool = new pg.Pool({ connectionString: database.service.url })
    pool.on('error', () => {})
    const engine = createPostgresEngine(pool, { pollMs: 10, onError: () => {} })
    await engine.setup()
    const worker = engine.work('left', async () => undefined)
    const listeners = async () => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
      return (await pool.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid)
    }
    await expect.poll(listeners).toHaveLength(1)
    const [pid] = await listeners()
    await pool.query('SELECT pg_terminate_backend($1)', [pid])
    await expect.poll(async () => (await listeners()).some((other) => other !== pid)).toBe(true)
    await worker.stop()
    // Without a connection that is held, the pool ends.
    await pool.end()
  })
})
