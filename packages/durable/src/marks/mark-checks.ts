import { ConfigurationError } from 'modelrun'

/** Options of `createPostgresMarks`, `createMysqlMarks` and `createSqliteMarks`. */
export interface MarksOptions {
  /** The table, with or without its schema. Default `modelrun_marks`. */
  table?: string | undefined
}

const DEFAULT_TABLE = 'modelrun_marks'
const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,59}\.)?[a-z_][a-z0-9_]{0,59}$/i

/** Maximum size of a primary key in Postgres and MySQL, in bytes. Task ids are shorter. */
const LONGEST_KEY = 2_048

/** Returns the quoted name of the table. */
export function quoteTable({ table = DEFAULT_TABLE }: MarksOptions, quote: string): string {
  if (typeof table === 'string' && TABLE_NAME.test(table)) {
    return table
      .split('.')
      .map((part) => `${quote}${part}${quote}`)
      .join('.')
  }
  const message = `The table of marks is a name of at most 60 letters, digits and _, with or without a schema before a dot. It got ${JSON.stringify(table)}.`
  throw new ConfigurationError({ message })
}

export function checkKey(key: string): string {
  const isText = typeof key === 'string' && key !== '' && !/[\0\p{Cs}]/u.test(key)
  if (isText && Buffer.byteLength(key) <= LONGEST_KEY) return key
  const message = `The key of a mark is a text of 1 to ${LONGEST_KEY} bytes, without NUL and halves of characters. It got ${JSON.stringify(key)?.slice(0, 80)}. Use a hash of what is longer.`
  throw new ConfigurationError({ message })
}

export function checkAge(olderThanMs: number): number {
  if (Number.isFinite(olderThanMs) && olderThanMs > 0) return olderThanMs
  const message = `clean() takes olderThanMs: milliseconds above 0. It got ${String(olderThanMs)}.`
  throw new ConfigurationError({ message })
}

export function wrongClient(client: unknown, expected: string): ConfigurationError {
  const got = client === null ? 'null' : typeof client
  return new ConfigurationError({ message: `Marks need ${expected}. They got ${got}.` })
}

export function noTransaction(hint: string): ConfigurationError {
  const message = `mark() needs the client of an open transaction, or the mark counts without its effect. ${hint}`
  return new ConfigurationError({ message })
}

export function noTable(table: string, cause: unknown): ConfigurationError {
  const message = `The table of marks, ${table}, does not exist. Call \`setup\` of the marks once first.`
  return new ConfigurationError({ message, cause })
}
