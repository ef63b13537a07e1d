import { ConfigurationError } from 'modelrun'
import {
  checkAge,
  checkKey,
  type MarksOptions,
  noTable,
  noTransaction,
  quoteTable,
  wrongClient,
} from './mark-checks.ts'
import type { Marks } from './marks-type.ts'

/**
 * Runs one statement with the parameters `?`. Resolves to the number of changed rows, to an object with `affectedRows`, or to a
 * list whose first entry is such an object.
 */
export type MysqlQuery = (text: string, values: (string | number)[]) => PromiseLike<unknown>

/**
 * A client of MySQL or MariaDB.
 *
 * - mysql2/promise and mariadb: the connection after `beginTransaction()`, not the pool
 * - any other: a function that runs a statement in the transaction
 */
export type MysqlClient = MysqlQuery | { execute(text: string, values: (string | number)[]): PromiseLike<unknown> }

const NOW = 'UNIX_TIMESTAMP(NOW(3)) * 1000'
const NO_SUCH_TABLE = 'ER_NO_SUCH_TABLE'
/** Of `serverStatus`. */
const IN_TRANSACTION = 1

/**
 * Creates marks for MySQL 5.7, MariaDB 10.2, or newer. A second run waits at most `innodb_lock_wait_timeout`, and then fails with
 * error 1205. When the first of several transactions rolls back, another can fail with error 1213. The next attempt succeeds.
 *
 * @throws ConfigurationError when `table` is not a plain name
 *
 * @example
 * const marks = createMysqlMarks()
 * await marks.setup(pool)
 * await connection.beginTransaction()
 * if (await marks.mark(connection, run.key)) await connection.execute('INSERT INTO posters …')
 * await connection.commit()
 */
export function createMysqlMarks(options: MarksOptions = {}): Marks<MysqlClient> {
  const table = quoteTable(options, '`')
  const change = async (client: MysqlClient, text: string, ...values: (string | number)[]): Promise<Change> => {
    try {
      return readChange(await queryOf(client)(text, values))
    } catch (error) {
      throw isMissingTable(error) ? noTable(table, error) : error
    }
  }
  return {
    async setup(client) {
      // Bytes: texts that differ only in case or trailing spaces would be equal.
      const columns = 'id VARBINARY(2048) NOT NULL PRIMARY KEY, marked_at BIGINT NOT NULL'
      await change(client, `CREATE TABLE IF NOT EXISTS ${table} (${columns}) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`)
    },
    async mark(transaction, key) {
      if (typeof Object(transaction).getConnection === 'function') {
        throw noTransaction('This is a pool: use `await pool.getConnection()`, and its beginTransaction().')
      }
      // IGNORE, because clients count rows of ON DUPLICATE KEY differently; hex, because connections have different charsets.
      const text = `INSERT IGNORE INTO ${table} (id, marked_at) VALUES (UNHEX(?), ${NOW})`
      const { affectedRows, serverStatus } = await change(transaction, text, Buffer.from(checkKey(key)).toString('hex'))
      const isOpen = serverStatus === undefined || (serverStatus & IN_TRANSACTION) !== 0
      if (isOpen) return affectedRows > 0
      throw noTransaction('Call `await connection.beginTransaction()` before.')
    },
    async clean(client, olderThanMs) {
      await change(client, `DELETE FROM ${table} WHERE marked_at < ${NOW} - ?`, checkAge(olderThanMs))
    },
  }
}

/** Also recognizes errors that a library has wrapped. */
function isMissingTable(error: unknown): boolean {
  return [error, Object(error).cause].some((each) => Object(each).code === NO_SUCH_TABLE)
}

function queryOf(client: MysqlClient): MysqlQuery {
  if (typeof client === 'function') return client
  if (typeof Object(client).execute === 'function') return (text, values) => client.execute(text, values)
  throw wrongClient(client, 'a connection of mysql2/promise or mariadb, or a function (text, values) => changed rows')
}

interface Change {
  affectedRows: number
  serverStatus: number | undefined
}

function readChange(result: unknown): Change {
  const header: unknown = Array.isArray(result) ? result[0] : result
  const { affectedRows, serverStatus } = typeof header === 'number' ? { affectedRows: header } : Object(header)
  if (typeof affectedRows === 'number') return { affectedRows, serverStatus }
  const message = `The query function of the marks gave ${typeof header}. It must resolve to how many rows were changed, or to the result of mysql2.`
  throw new ConfigurationError({ message })
}
