import type { InboxStore } from 'modelrun/webhooks'
import { createPostgresStore } from 'modelrun/webhooks/postgres'
import { testInboxStore } from 'modelrun/webhooks/testing'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { claimRequest, leaseOf, walkThrough } from './walk-through.ts'

const { isMissing, note } = needs(...POSTGRES_PROGRAMS)

describe.skipIf(isMissing)(`the Postgres store${note}`, () => {
  let service: PostgresService
  let pool: pg.Pool
  let tables = 0

  beforeAll(async () => {
    service = await startPostgres()
    pool = new pg.Pool({ connectionString: service.url, max: 20 })
    await pool.query('CREATE SCHEMA app; CREATE TABLE effects (text text)')
  })
  afterAll(async () => {
    await pool?.end()
    await service?.stop()
  })

  function store(table?: string): InboxStore {
    return createPostgresStore({ query: (text, values) => pool.query(text, values), table })
  }

  async function freshStore(): Promise<InboxStore> {
    tables += 1
    const fresh = store(`inbox_${tables}`)
    await fresh.migrate()
    return fresh
  }

  describe('the contract', () => {
    testInboxStore(freshStore, { test })
  })

  it.each([undefined, 'other', 'app.inbox', '"Quoted"'.replaceAll('"', ''), 'select', 'a'.repeat(50)])(
    'works in the table %s, and does not see the records and references of others',
    async (table) => {
      const first = await freshStore()
      await first.expect('job', { pollInMs: 0 })
      await first.bind('ref', 'job', 60_000)
      const other = store(table)
      await walkThrough(other)
      expect(await other.get('job')).toBeUndefined()
      expect(await other.bind('ref', 'other', 60_000)).toBe('other')
      expect(await first.list('expected', { limit: 9 })).toMatchObject([{ key: 'job' }])
    },
  )

  it('is created once by 20 connections at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => store('at_once').migrate()))
    await store('at_once').expect('job', { pollInMs: 0 })
    await store('at_once').migrate()
    expect(await store('at_once').get('job')).toMatchObject({ key: 'job' })
  })

  it('says so when it has no table yet', async () => {
    await expect(store('missing').get('job')).rejects.toThrow('Call `await store.migrate()` once first')
  })

  it('needs no right to create tables when they are there', async () => {
    await store('owned').migrate()
    await pool.query('CREATE ROLE app LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON owned, owned_refs TO app')
    const app = new pg.Pool({ connectionString: service.url.replace('postgres@', 'app@') })
    await walkThrough(createPostgresStore({ query: (text, values) => app.query(text, values), table: 'owned' }))
    await app.end()
  })

  it('works with the client `postgres`, also in a transaction', async () => {
    const sql = postgres(service.url)
    const other = createPostgresStore({ query: (text, values) => sql.unsafe(text, values), table: 'postgres_js' })
    await walkThrough(other)
    const lease = await leaseOf(other, 'job')
    const outcome = await sql.begin((tx) =>
      other.complete(lease, {
        keepMs: 60_000,
        tx: (text: string, values: string[]) => tx.unsafe(text, values),
      }),
    )
    expect(outcome).toBe('ok')
    await sql.end()
  })

  it('forgets records by an index, and finds due ones and pages by one', async () => {
    const fresh = await freshStore()
    const table = `inbox_${tables}`
    await pool.query(`INSERT INTO ${table} (key, state, due_at)
      SELECT n::text, CASE n % 2 WHEN 0 THEN 'expected' ELSE 'done' END, now() + n * interval '1 min'
      FROM generate_series(1, 20000) AS n`)
    await pool.query(`ANALYZE ${table}`)
    const plans: string[] = []
    const explaining = createPostgresStore({
      query: async (text, values) => {
        const plan = await pool.query(`EXPLAIN ${text}`, values)
        plans.push(plan.rows.map((row) => Object.values(row)).join('\n'))
        return []
      },
      table,
    })
    await explaining.due(10, 'poll')
    await explaining.list('expected', { limit: 10, after: '77' })
    expect(await fresh.due(10, 'poll')).toEqual([])
    expect(plans.join('\n')).not.toMatch(new RegExp(`Seq Scan on ${table}\\b|Sort`))
    expect(plans.map((plan) => plan.match(/Index Scan using \w+?_(due|list)/)?.[1])).toEqual(['due', 'list'])
  })

  describe('complete in the transaction of the caller', () => {
    async function effect(client: pg.PoolClient, text: string): Promise<void> {
      await client.query('INSERT INTO effects VALUES ($1)', [text])
    }
    async function effects(text: string): Promise<number> {
      return (await pool.query('SELECT 1 FROM effects WHERE text = $1', [text])).rows.length
    }
    async function inTransaction(work: (client: pg.PoolClient) => Promise<'COMMIT' | 'ROLLBACK'>): Promise<void> {
      const client = await pool.connect()
      await client.query('BEGIN')
      await client.query(await work(client))
      client.release()
    }

    it('counts when that commits, and not before', async () => {
      const fresh = await freshStore()
      const lease = await leaseOf(fresh, 'job')
      await inTransaction(async (client) => {
        await effect(client, 'committed')
        expect(await fresh.complete(lease, { keepMs: 60_000, tx: client })).toBe('ok')
        expect(await fresh.get('job')).toMatchObject({ state: 'leased' })
        return 'COMMIT'
      })
      expect(await fresh.get('job')).toMatchObject({ state: 'done' })
      expect(await effects('committed')).toBe(1)
    })

    it('did not happen when that is rolled back: the record is still leased', async () => {
      const fresh = await freshStore()
      const lease = await leaseOf(fresh, 'job')
      await inTransaction(async (client) => {
        await effect(client, 'rolled back')
        const tx = (text: string, values: unknown[]) => client.query(text, values)
        expect(await fresh.complete(lease, { keepMs: 60_000, tx })).toBe('ok')
        return 'ROLLBACK'
      })
      expect(await fresh.get('job')).toMatchObject({ state: 'leased', payload: claimRequest().payload })
      expect(await fresh.complete(lease, { keepMs: 60_000 })).toBe('ok')
      expect(await effects('rolled back')).toBe(0)
    })

    it('lets one of two workers that think they have the record write its effects', async () => {
      const fresh = await freshStore()
      const lost = await leaseOf(fresh, 'job')
      await fresh.extend(lost, 0)
      const lease = await leaseOf(fresh, 'job')
      const work = (held: typeof lease) =>
        inTransaction(async (client) => {
          await effect(client, 'once')
          const outcome = await fresh.complete(held, { keepMs: 60_000, tx: client })
          return outcome === 'ok' ? 'COMMIT' : 'ROLLBACK'
        })
      await Promise.all([work(lost), work(lease)])
      expect(await effects('once')).toBe(1)
    })

    it('makes a claim of a lease that ran out wait, and find the record done', async () => {
      const fresh = await freshStore()
      const lease = await leaseOf(fresh, 'job')
      await fresh.extend(lease, 0)
      let claim: ReturnType<InboxStore['claim']> | undefined
      await inTransaction(async (client) => {
        await fresh.complete(lease, { keepMs: 60_000, tx: client })
        claim = fresh.claim('job', claimRequest())
        const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT%inbox_${tables}%'`
        await expect.poll(async () => (await pool.query(waiting)).rows.length).toBe(1)
        return 'COMMIT'
      })
      expect(await claim).toMatchObject({ kind: 'done' })
    })
  })
})
