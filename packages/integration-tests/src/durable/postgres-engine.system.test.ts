import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { beforeAll, describe, expect, it } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { describeWithPostgres } from '../services/with-postgres.ts'

describeWithPostgres('the Postgres engine', (database) => {
  const open = () => createPostgresEngine(database.pool, { pollMs: 50 })

  it.each(engineChecks(open))('$name', ({ run }) => run())

  describe('with the client postgres', () => {
    let sql: postgres.Sql
    beforeAll(() => {
      sql = postgres(database.service.url, { max: 10, onnotice: () => {} })
      return () => sql.end()
    })
    const openOther = () => createPostgresEngine(sql, { pollMs: 50 })
    it.each(engineChecks(openOther))('$name', ({ run }) => run())
  })

  it('says that its tables are missing', async () => {
    await database.pool.query('CREATE DATABASE empty')
    const other = new pg.Pool({ connectionString: database.service.url.replace(/postgres$/, 'empty') })
    const engine = createPostgresEngine(other)
    await expect(engine.add('q', 'a', { data: 1 })).rejects.toThrow(/engine\.setup\(\)/)
    await other.end()
  })

  it('is set up for a user who may not create tables, once they are there', async () => {
    await open().setup()
    await database.pool.query("CREATE ROLE writer LOGIN PASSWORD 'x'; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    await database.pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer')
    const url = new URL(database.service.url)
    url.username = 'writer'
    url.password = 'x'
    const other = new pg.Pool({ connectionString: url.href })
    const engine = createPostgresEngine(other)
    await engine.setup()
    await engine.add('writer', 'a', { data: 1 })
    expect(await engine.get('writer', 'a')).toMatchObject({ state: 'waiting' })
    await other.end()
  })

  it('asks for a task that was just added by one statement, and for when the next is due only now and then', async () => {
    const asked: string[] = []
    const query = (text: string, values: unknown[]) => {
      if (text.includes('FROM (SELECT) AS one')) asked.push('next')
      if (text.includes("SET state = 'running'")) asked.push('lock')
      return database.pool.query(text, values)
    }
    const engine = createPostgresEngine(query, { pollMs: 60_000 })
    await engine.setup()
    const runs: string[] = []
    engine.work('quick', async ({ id }) => void runs.push(id))
    await expect.poll(() => asked).toEqual(['lock', 'next'])
    await engine.add('quick', 'later', { data: null, delayMs: 3_600_000 })
    await expect.poll(() => asked).toEqual(['lock', 'next', 'lock', 'next'])
    for (const id of ['a', 'b']) {
      await engine.add('quick', id, { data: null })
      await expect.poll(() => engine.get('quick', id)).toMatchObject({ state: 'done' })
    }
    expect(asked.slice(4)).toEqual(['lock', 'lock'])
    expect(runs).toEqual(['a', 'b'])
    await engine.close()
  })

  it('counts right when many add, end and remove the same tasks at once', async () => {
    const engine = open()
    await engine.setup()
    engine.work('counted', async ({ attempt }) => attempt, { concurrency: 10 })
    const ids = Array.from({ length: 40 }, (_, index) => `t${index % 8}`)
    const removed: boolean[] = []
    for (let round = 0; round < 5; round += 1) {
      const removals = ids.map(async (id) => removed.push(await engine.remove('counted', id)))
      await Promise.all([...removals, ...ids.map((id) => engine.add('counted', id, { data: null }))])
    }
    await expect.poll(() => engine.count('counted')).toMatchObject({ waiting: 0, running: 0, dead: 0 })
    expect(removed).toContain(true)
    expect((await engine.count('counted')).done).toBe((await engine.list('counted', 'done')).length)
    await engine.close()
  })

  it('waits for no other change of the queue, and misses no late commit in a list', async () => {
    const client = await database.pool.connect()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isWritten = false
    const late = createPostgresEngine(async (text, values) => {
      await client.query('BEGIN')
      const result = await client.query(text, values)
      isWritten = true
      await released
      await client.query('COMMIT')
      return result
    })
    const engine = open()
    await engine.setup()
    const adding = late.add('late', 'a', { data: null })
    await expect.poll(() => isWritten).toBe(true)
    for (const id of ['b', 'c']) await engine.add('late', id, { data: null })
    expect(await engine.remove('late', 'c')).toBe(true)
    const listing = engine.list('late', 'waiting')
    expect(await engine.count('late')).toMatchObject({ waiting: 1 })
    release()
    await adding
    client.release()
    expect((await listing).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await engine.count('late')).toMatchObject({ waiting: 2 })
    await engine.close()
  })

  it('lists tasks that it gives up at the same time on pages of any length', async () => {
    const engine = open()
    await engine.setup()
    for (const id of ['a', 'b', 'c', 'd', 'e']) await engine.add('given-up', id, { data: null })
    await database.pool.query("UPDATE modelrun_tasks SET lost = 4 WHERE queue = 'given-up'")
    engine.work('given-up', async () => undefined)
    await expect.poll(() => engine.count('given-up')).toEqual({ waiting: 0, running: 0, done: 0, dead: 5 })
    const first = await engine.list('given-up', 'dead', { limit: 2 })
    const rest = await engine.list('given-up', 'dead', { after: first.at(-1)?.cursor })
    expect([...first, ...rest].map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    await engine.close()
  })
})
