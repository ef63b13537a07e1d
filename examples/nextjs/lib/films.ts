import { DatabaseSync } from 'node:sqlite'

/** A film that was started. */
export interface Film {
  jobId: string
  /** Present once the film is there. */
  url: string | null
  /** Present when there will be no film. */
  error: string | null
}

/** The films of the app. The page knows a film by an id of the app, and never by the id of its job. */
export class Films {
  readonly #database: DatabaseSync

  constructor(path: string) {
    this.#database = new DatabaseSync(path)
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS films (id TEXT PRIMARY KEY, job_id TEXT NOT NULL, url TEXT, error TEXT)',
    )
  }

  /** The result can be there before: its webhook is fast. */
  add(id: string, jobId: string): void {
    this.#database.prepare('INSERT INTO films (id, job_id) VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, jobId)
  }

  end(id: string, { jobId, url, error }: Film): void {
    const statement =
      'INSERT INTO films (id, job_id, url, error) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET url = excluded.url, error = excluded.error'
    this.#database.prepare(statement).run(id, jobId, url, error)
  }

  get(id: string): Film | undefined {
    const row = this.#database.prepare('SELECT job_id AS jobId, url, error FROM films WHERE id = ?').get(id)
    // The columns are those of the table above.
    return row as Film | undefined
  }

  close(): void {
    this.#database.close()
  }
}
