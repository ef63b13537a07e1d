import { DatabaseSync } from 'node:sqlite'

/** A video that was started. */
export interface Video {
  jobId: string
  /** Present once the video is there. */
  url: string | null
  /** Present when the video will not come. */
  error: string | null
}

/** The videos of the app. The page knows a video by an id of the app, and never by the id of its job. */
export class Videos {
  readonly #database: DatabaseSync

  constructor(path: string) {
    this.#database = new DatabaseSync(path)
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS videos (id TEXT PRIMARY KEY, job_id TEXT NOT NULL, url TEXT, error TEXT)',
    )
  }

  /** The result can be there before: its webhook is fast. */
  add(id: string, jobId: string): void {
    this.#database.prepare('INSERT INTO videos (id, job_id) VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, jobId)
  }

  end(id: string, { jobId, url, error }: Video): void {
    const statement =
      'INSERT INTO videos (id, job_id, url, error) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET url = excluded.url, error = excluded.error'
    this.#database.prepare(statement).run(id, jobId, url, error)
  }

  get(id: string): Video | undefined {
    const row = this.#database.prepare('SELECT job_id AS jobId, url, error FROM videos WHERE id = ?').get(id)
    // The columns are those of the table above.
    return row as Video | undefined
  }

  close(): void {
    this.#database.close()
  }
}
