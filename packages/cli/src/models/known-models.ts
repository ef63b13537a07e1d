import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolder } from '../ledger/state-folder.ts'

/** Ids that no shell reads as anything but a word. Others are not completed. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/
const MOST_IDS = 5_000

/**
 * The ids of models that commands have seen at a url, for completion. It is a file of its user: completion never calls
 * the service, and may be out of date.
 */
export class KnownModels {
  readonly #path: string

  constructor(env: Readonly<Record<string, string | undefined>>, baseUrl: string) {
    const name = createHash('sha256').update(baseUrl.replace(/\/+$/, '')).digest('hex').slice(0, 32)
    this.#path = join(stateFolder(env), 'models', `${name}.json`)
  }

  /** None when nothing was seen, or when the file cannot be read. */
  read(): string[] {
    try {
      const ids: unknown = JSON.parse(readFileSync(this.#path, 'utf8'))
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && SAFE_ID.test(id)) : []
    } catch {
      return []
    }
  }

  /** Notes some models beside those that are known. */
  add(ids: readonly string[]): void {
    const known = new Set(this.read())
    if (ids.some((id) => !known.has(id))) this.replace([...known, ...ids])
  }

  /** Notes the whole catalog. Fails silently: no command needs it. */
  replace(ids: readonly string[]): void {
    const safe = [...new Set(ids)].filter((id) => SAFE_ID.test(id)).slice(0, MOST_IDS)
    // Another process may read or write at the same moment: the file is whole at any time.
    const draft = `${this.#path}.${randomUUID()}`
    try {
      mkdirSync(join(this.#path, '..'), { recursive: true, mode: 0o700 })
      writeFileSync(draft, JSON.stringify(safe.toSorted()), { mode: 0o600, flag: 'wx' })
      renameSync(draft, this.#path)
    } catch {
      removeQuietly(draft)
    }
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Its folder does not exist.
  }
}
