import { createInbox, type InboxStore } from 'modelrun/webhooks'
import { createPostgresStore, type PostgresQuery } from 'modelrun/webhooks/postgres'
import { createRedisStore } from 'modelrun/webhooks/redis'
import { createSqliteStore } from 'modelrun/webhooks/sqlite'
import { testInboxStore } from 'modelrun/webhooks/testing'
import { Pool } from 'pg'
import postgres from 'postgres'
import { createClient } from 'redis'

const pool = new Pool()
const sql = postgres()
const redis = createClient()

export const queries: PostgresQuery[] = [
  (text, values) => pool.query(text, values),
  (text, values) => sql.unsafe(text, values),
]

export const stores: InboxStore[] = [
  createSqliteStore({ path: 'inbox.db' }),
  createRedisStore({ eval: (script, keys, args) => redis.eval(script, { keys, arguments: args }), namespace: 'app' }),
  ...queries.map((query) => createPostgresStore({ query, table: 'app.inbox' })),
]

export const inboxes = stores.map((store) => createInbox({ store, onSucceeded: () => {} }))

declare function test(name: string, run: () => Promise<void>): void

testInboxStore(() => createSqliteStore({ path: ':memory:' }), { test })
