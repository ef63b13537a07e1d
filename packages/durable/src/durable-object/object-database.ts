import type { Database, Row, Values } from '../sqlite/sqlite-database.ts'

/** The parts of `ctx.storage` that the engine uses. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...values: (string | number | null)[]): { toArray(): unknown[] } }
  transactionSync<T>(work: () => T): T
  sync(): Promise<void>
}

/** A statement whose values have numbers: this storage has no names for them. */
interface NumberedStatement {
  text: string
  names: readonly string[]
}

/** Opens the SQLite storage of a Durable Object. It has one writer, so that nothing ever waits for a lock. */
export function openObjectDatabase(storage: ObjectStorage): Database {
  const statements = new Map<string, NumberedStatement>()
  const prepare = (sql: string): NumberedStatement => {
    const statement = statements.get(sql) ?? numberValues(sql)
    statements.set(sql, statement)
    return statement
  }
  const rows = (sql: string, values: Values = {}) => {
    const { text, names } = prepare(sql)
    const cursor = storage.sql.exec(text, ...names.map((name) => boundValue(values, name)))
    return cursor.toArray() as Row[] // an object of columns for each row
  }
  return {
    exec: (sql) => void storage.sql.exec(sql),
    rows,
    read: async (sql, values) => rows(sql, values),
    async transaction({ toDisk }, work) {
      const result = storage.transactionSync(work)
      if (toDisk) await storage.sync()
      return result
    },
    close: () => {},
  }
}

function numberValues(sql: string): NumberedStatement {
  const names: string[] = []
  const text = sql.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `?${names.indexOf(name) + 1}`
  })
  return { text, names }
}

/** The statements of the engine have strings, numbers and NULL only. */
function boundValue(values: Values, name: string): string | number | null {
  const value = values[name]
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A statement of the engine has no value for :${name}.`)
}
