import { describe, expect, it } from 'vitest'
import { createPostgresStore } from './postgres-store.ts'

const REQUEST = { owner: 'me', leaseMs: 1, fingerprint: 'x', payload: {} }
const LEASE = { key: 'job', owner: 'me', fence: 1, attempt: 1 }

describe('a Postgres store', () => {
  it.each(['inbox', 'app.inbox', 'Inbox_2', 'a'.repeat(50)])('takes the table %s, quoted', async (table) => {
    const asked: string[] = []
    const query = async (text: string) => {
      asked.push(text)
      return []
    }
    await createPostgresStore({ query, table }).get('job')
    expect(asked.join()).toContain(`FROM "${table.replace('.', '"."')}" WHERE key = $1`)
  })

  it.each(['', 'in box', 'a"b', "a'b", 'a;DROP TABLE b', 'a.b.c', '.a', '1a', 'ä', '$$', 'a\0', 'a'.repeat(51)])(
    'refuses the table %j',
    (table) => {
      expect(() => createPostgresStore({ query: async () => [], table })).toThrow('The `table` of the Postgres store')
    },
  )

  it.each([undefined, null, 'INSERT 0 1', { rowCount: 1 }])('says what a query must give, not %j', async (result) => {
    const store = createPostgresStore({ query: async () => result })
    await expect(store.get('job')).rejects.toThrow('It must resolve to a list of rows')
  })

  it('ends the search for a record that a client hides', async () => {
    const store = createPostgresStore({ query: async () => ({ rows: [] }) })
    await expect(store.claim('job', REQUEST)).rejects.toThrow('must give the rows of INSERT … RETURNING')
  })

  it('says so when it has no table yet', async () => {
    const missing = Object.assign(new Error('relation "modelrun_inbox" does not exist'), { code: '42P01' })
    const store = createPostgresStore({ query: () => Promise.reject(missing) })
    await expect(store.get('job')).rejects.toThrow('Call `await store.migrate()` once first')
  })

  it('passes on other errors as they are', async () => {
    const store = createPostgresStore({ query: () => Promise.reject(new Error('connect ECONNREFUSED')) })
    await expect(store.get('job')).rejects.toThrow(/^connect ECONNREFUSED$/)
  })

  it.each([null, 'tx', {}, { query: 1 }])('refuses %j as a transaction', async (tx) => {
    const store = createPostgresStore({ query: async () => [] })
    await expect(store.complete(LEASE, { keepMs: 1, tx })).rejects.toThrow('is no transaction of Postgres')
  })

  it('reads numbers that come as text or bigint', async () => {
    const row = { key: 'job', state: 'leased', fence: '3', attempt: 2, polls: 0n, created_at: 5, due_at: 9, now: 7 }
    const store = createPostgresStore({ query: async () => [row] })
    expect(await store.get('job')).toMatchObject({ fence: 3, attempt: 2, polls: 0, ageMs: 2, dueInMs: 2 })
  })

  it('refuses a client that makes objects of the JSON in a record', async () => {
    const row = { key: 'job', state: 'leased', fence: 1, attempt: 1, polls: 0, created_at: 5, due_at: 9, now: 7 }
    const store = createPostgresStore({ query: async () => [{ ...row, payload: { parsed: true } }] })
    await expect(store.get('job')).rejects.toThrow('turn off conversions')
  })
})
