import { createMarks } from '@modelrun/durable/marks'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MARIADB_PROGRAMS, type MariadbService, startMariadb } from '../../services/mariadb.ts'
import { needs } from '../../services/programs.ts'
import { describeWithPostgres } from '../../services/with-postgres.ts'

const onMariadb = needs(...MARIADB_PROGRAMS)

describeWithPostgres('marks in Postgres', (database) => {
  let sql: postgres.Sql
  const marks = createMarks('postgres', { table: 'public.modelrun_marks' })

  beforeAll(async () => {
    sql = postgres(database.service.url, { onnotice: () => {} })
    await marks.setup(database.pool)
    return () => sql.end()
  })

  it('reject a client without a transaction, and leave no mark', async () => {
    await expect(marks.mark(database.pool, 'a')).rejects.toThrow(/open transaction.*pool\.connect\(\)/)
    await expect(marks.mark(sql, 'a')).rejects.toThrow(/open transaction.*sql\.begin/)
    const client = await database.pool.connect()
    await expect(marks.mark(client, 'a')).rejects.toThrow(/open transaction.*'BEGIN'/)
    client.release()
    expect((await database.pool.query('SELECT id FROM modelrun_marks')).rows).toEqual([])
  })

  it('take the `sql` of a callback of `sql.begin`', async () => {
    const run = () => sql.begin((transaction) => marks.mark(transaction, 'callback'))
    expect([await run(), await run()]).toEqual([true, false])
  })

  it('take a function that gives rows', async () => {
    const client = await database.pool.connect()
    await client.query('BEGIN')
    const rows = async (text: string, values: unknown[]) => (await client.query(text, values)).rows
    expect([await marks.mark(rows, 'function'), await marks.mark(rows, 'function')]).toEqual([true, false])
    await client.query('COMMIT')
    client.release()
  })

  it('fail with 40001 at REPEATABLE READ while the first run commits, and are right in the next attempt', async () => {
    const [first, second] = [await database.pool.connect(), await database.pool.connect()]
    await first.query('BEGIN')
    await marks.mark(first, 'serial')
    await second.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await second.query('SELECT 1 FROM modelrun_marks')
    const marked = expect(marks.mark(second, 'serial')).rejects.toMatchObject({ code: '40001' })
    await first.query('COMMIT')
    await marked
    await second.query('ROLLBACK')
    await second.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    expect(await marks.mark(second, 'serial')).toBe(false)
    await second.query('COMMIT')
    for (const client of [first, second]) client.release()
  })
})

describe.skipIf(onMariadb.isMissing)(`marks in MariaDB${onMariadb.note}`, () => {
  let service: MariadbService
  let pool: mysql.Pool
  const marks = createMarks('mysql', { table: 'app.modelrun_marks' })

  beforeAll(async () => {
    service = await startMariadb()
    pool = mysql.createPool(service.url)
    await marks.setup(pool)
  })
  afterAll(async () => {
    await pool?.end()
    await service?.stop()
  })

  it('reject a client without a transaction, and leave no mark', async () => {
    await expect(marks.mark(pool, 'a')).rejects.toThrow(/open transaction.*pool\.getConnection\(\)/)
    const connection = await pool.getConnection()
    await expect(marks.mark(connection, 'a')).rejects.toThrow(/open transaction.*beginTransaction/)
    await connection.beginTransaction()
    expect(await marks.mark(connection, 'a')).toBe(true)
    await connection.rollback()
    connection.release()
  })

  it('are the same for connections that count rows, and write characters, in another way', async () => {
    const other = { uri: service.url, flags: ['-FOUND_ROWS'], charset: 'latin1_swedish_ci' }
    const found: boolean[] = []
    for (const settings of [other, { uri: service.url }]) {
      const connection = await mysql.createConnection(settings)
      await connection.beginTransaction()
      for (const key of ['日本', '日本', '中国']) found.push(await marks.mark(connection, key))
      await connection.commit()
      await connection.end()
    }
    expect(found).toEqual([true, false, true, false, false, false])
  })
})

it.each([
  ['Postgres', () => createMarks('postgres').mark(undefined as never, 'a'), /client of pg or postgres.*got undefined/],
  ['MySQL', () => createMarks('mysql').mark({} as never, 'a'), /connection of mysql2\/promise.*got object/],
  ['SQLite', async () => createMarks('sqlite').mark('runs.db' as never, 'a'), /database of node:sqlite.*got string/],
])('marks in %s say which client they take', async (_, mark, message) => {
  await expect(mark()).rejects.toThrow(message)
})

it.each(['', 'a b', 'a.b.c', 'a"', '1a', 'x'.repeat(61)])('marks reject the table %j', (table) => {
  for (const database of ['postgres', 'mysql', 'sqlite']) {
    expect(() => createMarks(database as 'mysql', { table })).toThrow(/`table` of `createMarks` must be a name/)
  }
})

it('marks say what a query function must give', async () => {
  await expect(createMarks('postgres').mark(async () => 1, 'a')).rejects.toThrow(
    /resolves to number instead of a list of rows/,
  )
  await expect(createMarks('mysql').mark(async () => [[]], 'a')).rejects.toThrow(/gave object.*how many rows/)
})

it('marks say which databases there are', () => {
  expect(() => createMarks('oracle' as 'mysql')).toThrow('must be one of postgres, mysql, sqlite, not "oracle".')
})
