import { createMarks, type MarksOptions } from '@modelrun/durable/marks'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { MARIADB_PROGRAMS, startMariadb } from '../../services/mariadb.ts'
import { POSTGRES_PROGRAMS, startPostgres } from '../../services/postgres.ts'
import { needs } from '../../services/programs.ts'

/** A connection of a user's, on which a transaction can be open. */
export interface Connection {
  mark(key: string): Promise<boolean>
  run(statement: string): Promise<unknown>
  release(): void
}

/** A database with one table of marks, by one client. */
export interface MarkDatabase {
  setup(): Promise<void>
  connect(): Promise<Connection>
  clean(olderThanMs: number): Promise<void>
  /** How many connections wait for another transaction. */
  countWaiting(): Promise<number>
  close(): Promise<void>
}

type OpenDatabase = (url: string, options?: MarksOptions) => MarkDatabase

const WAITING_IN_POSTGRES = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
const WAITING_IN_MARIADB = "SELECT count(*) AS n FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"

const openPg: OpenDatabase = (url, options) => {
  const pool = new pg.Pool({ connectionString: url, max: 20 })
  const marks = createMarks('postgres', options)
  return {
    setup: () => marks.setup(pool),
    async connect() {
      const client = await pool.connect()
      const mark = (key: string) => marks.mark(client, key)
      return { mark, run: (text) => client.query(text), release: () => client.release() }
    },
    clean: (olderThanMs) => marks.clean(pool, olderThanMs),
    countWaiting: async () => (await pool.query(WAITING_IN_POSTGRES)).rows[0].n,
    close: () => pool.end(),
  }
}

const openPostgresJs: OpenDatabase = (url, options) => {
  const sql = postgres(url, { max: 20, onnotice: () => {} })
  const marks = createMarks('postgres', options)
  return {
    setup: () => marks.setup(sql),
    async connect() {
      const reserved = await sql.reserve()
      const mark = (key: string) => marks.mark(reserved, key)
      return { mark, run: (text) => reserved.unsafe(text), release: () => reserved.release() }
    },
    clean: (olderThanMs) => marks.clean(sql, olderThanMs),
    countWaiting: async () => (await sql.unsafe(WAITING_IN_POSTGRES))[0]?.n,
    close: () => sql.end(),
  }
}

const openMysql2: OpenDatabase = (url, options) => {
  const pool = mysql.createPool({ uri: url, connectionLimit: 20 })
  const marks = createMarks('mysql', options)
  return {
    setup: () => marks.setup(pool),
    async connect() {
      const connection = await pool.getConnection()
      const mark = (key: string) => marks.mark(connection, key)
      return { mark, run: (text) => connection.query(text), release: () => connection.release() }
    },
    clean: (olderThanMs) => marks.clean(pool, olderThanMs),
    async countWaiting() {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(WAITING_IN_MARIADB)
      return rows[0]?.n
    },
    close: () => pool.end(),
  }
}

/** As users of Prisma, Kysely and others do. */
const openMysqlFunction: OpenDatabase = (url, options) => {
  const database = openMysql2(url, options)
  const pool = mysql.createPool({ uri: url, connectionLimit: 20 })
  const marks = createMarks('mysql', options)
  return {
    ...database,
    async connect() {
      const connection = await pool.getConnection()
      const changedRows = async (text: string, values: (string | number)[]) => {
        const [{ affectedRows }] = await connection.query<mysql.ResultSetHeader>(text, values)
        return affectedRows
      }
      const mark = (key: string) => marks.mark(changedRows, key)
      return { mark, run: (text) => connection.query(text), release: () => connection.release() }
    },
    async close() {
      await pool.end()
      await database.close()
    },
  }
}

const postgresService = { start: () => startPostgres(), ...needs(...POSTGRES_PROGRAMS) }
const mariadbService = { start: () => startMariadb(), ...needs(...MARIADB_PROGRAMS) }

/** Every client, with the service that it needs, for `describe.each`. */
export const MARK_DATABASES = [
  { client: 'pg', open: openPg, ...postgresService },
  { client: 'postgres', open: openPostgresJs, ...postgresService },
  { client: 'mysql2', open: openMysql2, ...mariadbService },
  { client: 'a function over mysql2', open: openMysqlFunction, ...mariadbService },
].map(({ client, note, ...database }) => ({ title: `marks by ${client}${note}`, ...database }))
