import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { createPostgresEngine, type PostgresQuery } from '@modelrun/durable/postgres'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { createInbox, type InboxEngine } from 'modelrun/webhooks'
import { Pool } from 'pg'
import postgres from 'postgres'

const pool = new Pool()
const sql = postgres()

export const queries: PostgresQuery[] = [
  (text, values) => pool.query(text, values),
  (text, values) => sql.unsafe(text, values),
]

export const engines: InboxEngine[] = [
  createSqliteEngine({ path: 'inbox.db' }),
  createBullmqEngine({ connection: { host: 'localhost' }, prefix: 'app' }),
  ...queries.map((query) => createPostgresEngine({ query })),
]

export const inboxes = engines.map((engine) => createInbox({ engine, name: 'app', onSucceeded: () => {} }))
