import type { DatabaseSync } from 'node:sqlite'

/** What the app makes of results: rows of its own database. */
export interface Results {
  /** Saves a result once for a key, also when its handler runs again. Returns whether this call saved it. */
  save(key: string, url: string | undefined): boolean
}

export function createResults(database: DatabaseSync): Results {
  database.exec(`
    CREATE TABLE IF NOT EXISTS handled (key TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS results (url TEXT)`)
  const mark = database.prepare('INSERT INTO handled (key) VALUES (?) ON CONFLICT DO NOTHING')
  const insert = database.prepare('INSERT INTO results (url) VALUES (?)')
  return {
    save: (key, url) => {
      database.exec('BEGIN IMMEDIATE')
      try {
        // The mark and the result are in one transaction: both are there, or neither is.
        const isFirst = mark.run(key).changes === 1
        if (isFirst) insert.run(url ?? null)
        database.exec('COMMIT')
        return isFirst
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}
