import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'

const { isMissing, note } = needs(...POSTGRES_PROGRAMS)

describe.skipIf(isMissing)(`the Postgres engine${note}`, () => {
  let service: PostgresService
  let pool: pg.Pool
  let sql: postgres.Sql

  beforeAll(async () => {
    service = await startPostgres()
    pool = new pg.Pool({ connectionString: service.url, max: 20 })
    sql = postgres(service.url, { max: 10, onnotice: () => {} })
  })
  afterAll(async () => {
    await pool?.end()
    await sql?.end()
    await service?.stop()
  })

  const open = () => createPostgresEngine(pool, { pollMs: 50 })

  it.each(engineChecks(open))('$name', ({ run }) => run())

  describe('with the client postgres', () => {
    const openOther = () => createPostgresEngine(sql, { pollMs: 50 })
    it.each(engineChecks(openOther))('$name', ({ run }) => run())
  })

  it('says that its tables are missing', async () => {
    await pool.query('CREATE DATABASE empty')
    const other = new pg.Pool({ connectionString: service.url.replace(/postgres$/, 'empty') })
    const engine = createPostgresEngine(other)
    await expect(engine.add('q', 'a', { data: 1 })).rejects.toThrow(/engine\.setup\(\)/)
    await other.end()
  })

  it('is set up for a user who may not create tables, once they are there', async () => {
    await open().setup()
    await pool.query("CREATE ROLE writer LOGIN PASSWORD 'x'; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    await pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer')
    const url = new URL(service.url)
    url.username = 'writer'
    url.password = 'x'
    const other = new pg.Pool({ connectionString: url.href })
    const engine = createPostgresEngine(other)
    await engine.setup()
    await engine.add('writer', 'a', { data: 1 })
    expect(await engine.get('writer', 'a')).toMatchObject({ state: 'waiting' })
    await other.end()
  })

  it('runs what it has locked although the next statement fails', async () => {
    let failure: 'none' | 'next' | 'past' = 'none'
    const query = async (text: string, values: unknown[]) => {
      if (failure === 'next') {
        failure = 'past'
        throw new Error('The connection is gone.')
      }
      const result = await pool.query(text, values)
      if (failure === 'none' && text.includes("SET state = 'running'") && result.rows.length > 0) failure = 'next'
      return result
    }
    const engine = createPostgresEngine(query, { pollMs: 50, onError: () => {} })
    await engine.setup()
    await engine.add('locked', 'a', { data: null })
    engine.work('locked', async ({ lost }) => lost)
    await expect.poll(() => engine.get('locked', 'a')).toMatchObject({ state: 'done', result: 0 })
    expect(failure).toBe('past')
    await engine.close()
  })

  it('asks for a task that was just added by one statement, and for when the next is due only now and then', async () => {
    const asked: string[] = []
    const query = (text: string, values: unknown[]) => {
      if (text.includes('FROM (SELECT) AS one')) asked.push('next')
      if (text.includes("SET state = 'running'")) asked.push('lock')
      return pool.query(text, values)
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

  it('counts no process as lost when a lock ends before its task starts', async () => {
    let isLate = false
    const isOver = async () => {
      const sql = `SELECT due_at < extract(epoch FROM clock_timestamp()) * 1000 AS over FROM modelrun_tasks WHERE queue = 'slow'`
      return (await pool.query<{ over: boolean }>(sql)).rows[0]?.over === true
    }
    const query = async (text: string, values: unknown[]) => {
      const result = await pool.query(text, values)
      if (isLate || !text.includes("SET state = 'running'") || result.rows.length === 0) return result
      isLate = true
      while (!(await isOver()));
      return result
    }
    const engine = createPostgresEngine(query, { pollMs: 50 })
    await engine.setup()
    await engine.add('slow', 'a', { data: null })
    engine.work('slow', async ({ lost, attempt }) => [lost, attempt], { lockMs: 1_500 })
    await expect.poll(() => engine.get('slow', 'a')).toMatchObject({ state: 'done', result: [0, 1] })
    expect(isLate).toBe(true)
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
    const client = await pool.connect()
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
    await pool.query("UPDATE modelrun_tasks SET lost = 4 WHERE queue = 'given-up'")
    engine.work('given-up', async () => undefined)
    await expect.poll(() => engine.count('given-up')).toEqual({ waiting: 0, running: 0, done: 0, dead: 5 })
    const first = await engine.list('given-up', 'dead', { limit: 2 })
    const rest = await engine.list('given-up', 'dead', { after: first.at(-1)?.cursor })
    expect([...first, ...rest].map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    await engine.close()
  })

  it('is not stopped by open transactions of other clients', async () => {
    const engine = open()
    await engine.setup()
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query(`SELECT * FROM modelrun_tasks FOR UPDATE`)
    await engine.add('beside', 'locked', { data: null })
    await client.query(`SELECT * FROM modelrun_tasks WHERE queue = 'beside' FOR UPDATE`)
    for (const id of ['a', 'b']) await engine.add('beside', id, { data: null })
    const seen: string[] = []
    engine.work('beside', async ({ id }) => {
      seen.push(id)
      return undefined
    })
    await expect.poll(() => seen.toSorted()).toEqual(['a', 'b'])
    await client.query('COMMIT')
    client.release()
    await expect.poll(() => seen.toSorted()).toEqual(['a', 'b', 'locked'])
    await engine.close()
  })

  it('renews the locks of its tasks although another transaction has locked one of them', async () => {
    const engine = open()
    await engine.setup()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const runs: string[] = []
    for (const id of ['held', 'a', 'b']) await engine.add('renewed', id, { data: null })
    const work = async ({ id }: { id: string }) => {
      runs.push(id)
      await released
      return undefined
    }
    engine.work('renewed', work, { concurrency: 3, lockMs: 6_000 })
    await expect.poll(() => runs).toHaveLength(3)
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query("SELECT 1 FROM modelrun_tasks WHERE queue = 'renewed' AND id = 'held' FOR UPDATE")
    const endOfLocks = async () => {
      const sql = "SELECT min(due_at) AS at FROM modelrun_tasks WHERE queue = 'renewed' AND id <> 'held'"
      return Number((await pool.query(sql)).rows[0].at)
    }
    const before = await endOfLocks()
    await expect.poll(endOfLocks).toBeGreaterThan(before)
    release()
    await expect.poll(() => engine.count('renewed')).toMatchObject({ done: 2 })
    await client.query('ROLLBACK')
    client.release()
    await expect.poll(() => engine.count('renewed')).toMatchObject({ done: 3 })
    expect(runs.filter((id) => id !== 'held').toSorted()).toEqual(['a', 'b'])
    await engine.close()
  })
})
