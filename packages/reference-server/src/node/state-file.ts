import { readFile, rename, writeFile } from 'node:fs/promises'
import type { ReferenceServer } from '../reference-server.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { UsageError } from './usage-error.ts'

/** After a change, others that follow soon are written along with it. */
const SAVE_AFTER_MS = 300

/** Of its time a server spends at most so much on saving: the larger its state, the more seldom it is written. */
const LARGEST_SHARE = 0.05

/** What the user should know although the server goes on. */
export type Warn = (line: string) => void

/**
 * Opens the file of `--state`, which keeps the state of a server over restarts.
 *
 * @throws UsageError when it cannot be read, or is no JSON
 */
export async function openState(path: string, warn: Warn): Promise<StateFile> {
  const text = await readText(path)
  try {
    return new StateFile(path, text === undefined ? undefined : JSON.parse(text), warn)
  } catch {
    throw new UsageError(unusable(path, 'it is no JSON.'))
  }
}

/** The file that keeps the state of a server. */
export class StateFile {
  readonly #path: string
  /** What was in it; whether that is a state is told by the server. */
  readonly #found: unknown
  readonly #warn: Warn
  #server: ReferenceServer | undefined
  #timer: NodeJS.Timeout | undefined
  #lastSave: Promise<void> = Promise.resolve()
  #pauseMs = SAVE_AFTER_MS

  constructor(path: string, found: unknown, warn: Warn) {
    this.#path = path
    this.#found = found
    this.#warn = warn
  }

  /**
   * Puts a server into the state of the file, if there was one, and keeps its state there from now on.
   *
   * @returns the keys that can be used in it; `undefined` when the file is new
   * @throws UsageError when the server cannot go on from it, or it cannot be written; an old file stays as it is
   */
  async begin(server: ReferenceServer): Promise<readonly string[] | undefined> {
    const keys = this.#found === undefined ? undefined : this.#restore(server)
    this.#server = server
    try {
      await this.#save(server)
    } catch (error) {
      this.#server = undefined
      throw new UsageError(`The state ${this.#path} cannot be written: ${messageOf(error)}`)
    }
    return keys
  }

  /** Something has happened on the server. It is in the file soon. */
  changed(): void {
    if (this.#server === undefined || this.#timer !== undefined) return
    const save = () => {
      this.#timer = undefined
      void this.#saveOrWarn()
    }
    // It keeps no process alive: `close` saves as well.
    this.#timer = setTimeout(save, this.#pauseMs).unref()
  }

  /** Saves the state as it is now, and no more from then on. Call it while the server is still open. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saveOrWarn()
    this.#server = undefined
  }

  #restore(server: ReferenceServer): readonly string[] {
    try {
      server.restore(this.#found as Snapshot) // or anything else, which it refuses
    } catch (error) {
      throw new UsageError(unusable(this.#path, messageOf(error).replace('restore: ', '')))
    }
    const usable = server.snapshot().keys.filter(({ isRevoked }) => !isRevoked)
    return usable.length > 0 ? usable.map(({ key }) => key) : [server.mintKey().key]
  }

  async #saveOrWarn(): Promise<void> {
    try {
      if (this.#server !== undefined) await this.#save(this.#server)
    } catch (error) {
      this.#warn(`The state could not be written to ${this.#path}: ${messageOf(error)}`)
    }
  }

  /** One after the other; what is saved is the state at the time of the call. */
  #save(server: ReferenceServer): Promise<void> {
    const startedAt = performance.now()
    const text = JSON.stringify(server.snapshot())
    this.#pauseMs = Math.max(SAVE_AFTER_MS, (performance.now() - startedAt) / LARGEST_SHARE)
    const saved = this.#lastSave.then(() => replaceFile(this.#path, text))
    this.#lastSave = saved.catch(() => {}) // whoever asked for it is told
    return saved
  }
}

function unusable(path: string, reason: string): string {
  return `The state ${path} cannot be used, and was left as it is: ${reason.replaceAll(/\s+/g, ' ')}`
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // `fs` rejects with nothing else
    if (code === 'ENOENT') return undefined
    throw new UsageError(`The state ${path} cannot be read: ${code === 'EISDIR' ? 'it is a directory.' : message}`)
  }
}

/** Whoever reads the file finds the old text or the new one, and never a part. It holds keys, so it is the user's alone. */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.${process.pid}.tmp`
  await writeFile(next, text, { mode: 0o600, flush: true })
  await rename(next, path)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
