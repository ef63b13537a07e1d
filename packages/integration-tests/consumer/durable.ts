import { DatabaseSync } from 'node:sqlite'
import { createRuns, type Engine, type FinishedRun, type Runs } from '@modelrun/durable'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { createMarks, type Marks } from '@modelrun/durable/marks'
import { createPostgresEngine, type PostgresDatabase } from '@modelrun/durable/postgres'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { ModelRun } from 'modelrun'
import { createInbox, type Inbox, RetryAfterError } from 'modelrun/webhooks'
import mysql from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'

const pool = new Pool()
const sql = postgres()
const mysqlPool = mysql.createPool('mysql://localhost/app')

export const databases: PostgresDatabase[] = [
  'postgres://localhost/app',
  pool,
  sql,
  (text, values) => pool.query(text, values),
]

export const engines: Engine[] = [
  createSqliteEngine({ path: 'runs.db', pollMs: 100 }),
  createBullmqEngine({ connection: { host: 'localhost' } }),
  ...databases.map((database) => createPostgresEngine(database, { schema: 'posters', onError: console.error })),
]

engines[0]?.work('app', async ({ id, attempt, signal }) => {
  if (signal.aborted) throw new RetryAfterError(1_000)
  return { id, attempt }
})

export const batches: Runs[] = engines.map((engine) =>
  createRuns({ engine, client: new ModelRun(), maxCredits: 100, submitRate: { max: 5, perMs: 1_000 } }),
)

export const inboxes: Inbox[] = engines.map((engine) =>
  createInbox({ engine, client: new ModelRun(), onSucceeded: () => {} }),
)

const marks: Marks<'postgres'> = createMarks('postgres', { table: 'app.marks' })
const mysqlMarks = createMarks('mysql')
const sqliteMarks = createMarks('sqlite')

export async function save(run: FinishedRun): Promise<boolean[]> {
  await marks.setup(pool)
  await mysqlMarks.setup(mysqlPool)
  const client = await pool.connect()
  const connection = await mysqlPool.getConnection()
  const database = new DatabaseSync('app.db')
  return [
    await marks.mark(client, run.key),
    await sql.begin((transaction) => marks.mark(transaction, run.key)),
    await mysqlMarks.mark(connection, run.key),
    await mysqlMarks.mark(async () => 1, run.key),
    sqliteMarks.mark(database, run.key),
    // @ts-expect-error a name instead of a client
    sqliteMarks.mark('app.db', run.key),
  ]
}
