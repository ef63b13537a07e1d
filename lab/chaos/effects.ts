import { DatabaseSync } from 'node:sqlite'

/** What handlers did to the world: a database that is not the engine's. */
export interface Effects {
  /**
   * Notes an effect, with a mark in the same transaction, so that a key has one.
   *
   * @param isMarked false: the effect of a handler that does not check whether it ran before
   */
  apply(key: string, isMarked?: boolean): void
  /** How many effects each key has. */
  counts(): ReadonlyMap<string, number>
  close(): void
}

export function openEffects(path: string): Effects {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS marks (key TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS effects (key TEXT, pid INTEGER);`)
  const mark = database.prepare('INSERT INTO marks VALUES (?) ON CONFLICT DO NOTHING')
  const effect = database.prepare('INSERT INTO effects VALUES (?, ?)')
  const count = database.prepare('SELECT key, count(*) AS count FROM effects GROUP BY key')
  return {
    apply: (key, isMarked = true) => {
      database.exec('BEGIN IMMEDIATE')
      if (mark.run(key).changes === 1 || !isMarked) effect.run(key, process.pid)
      database.exec('COMMIT')
    },
    counts: () => new Map(count.all().map((row) => [String(row.key), Number(row.count)])),
    close: () => database.close(),
  }
}
