import { messageWithCause } from '@modelrun/kit'
import type { Service } from '../service/service.ts'
import { createKey } from '../service/tenants.ts'
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts'
import { takeSnapshot } from '../snapshot/take-snapshot.ts'
import { UsageError } from './errors.ts'
import { parseJsonText, readText, replaceFile } from './json-file.ts'
import { lockFile, type StateLock } from './state-lock.ts'

/** After a change, others that follow soon are written along with it. */
const SAVE_AFTER_MS = 300

/** Of its time a server spends at most so much on saving: the larger its state, the more seldom it is written. */
const LARGEST_SHARE = 0.05

/**
 * Opens the file of `--state`, which stores the state of a server over restarts, for this process alone.
 *
 * @param warn gets what the user should know although the server continues
 * @throws UsageError when it cannot be read, is not JSON, or another server stores its state there
 */
export async function openState(path: string, warn: (line: string) => void): Promise<StateFile> {
  const lock = await lockFile(path)
  try {
    return new StateFile({ path, found: await readState(path), lock, warn })
  } catch (error) {
    await lock.release()
    throw error
  }
}

interface OpenedState {
  path: string
  /** Its content; the server checks it. */
  found: unknown
  lock: StateLock
  warn: (line: string) => void
}

export class StateFile {
  readonly #file: OpenedState
  #service: Service | undefined
  #timer: NodeJS.Timeout | undefined
  #lastSave: Promise<void> = Promise.resolve()
  #pauseMs = SAVE_AFTER_MS

  constructor(file: OpenedState) {
    this.#file = file
  }

  /**
   * Puts a server into the state of the file, if there was one, and stores its state there from now on.
   *
   * @returns a key that can be used in it; `undefined` when the file is new
   * @throws UsageError when the server cannot continue from it, or it cannot be written; an old file stays as it is
   */
  async start(service: Service): Promise<string | undefined> {
    const { found, path } = this.#file
    const key = found === undefined ? undefined : this.#restore(service)
    this.#file.found = undefined
    this.#service = service
    if (key !== undefined) return key
    await this.#save().catch((error: unknown) => {
      throw new UsageError(`The state ${path} cannot be written: ${messageWithCause(error)}`)
    })
    return undefined
  }

  /** Something has happened on the server. It is in the file soon. */
  changed(): void {
    if (this.#service === undefined || this.#timer !== undefined) return
    const save = () => {
      this.#timer = undefined
      void this.#saveOrWarn()
    }
    // The timer does not keep the process alive: `close` saves as well.
    this.#timer = setTimeout(save, this.#pauseMs).unref()
  }

  /** Saves the state as it is now, and no more from then on. Call it while the server is still open. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saveOrWarn()
    this.#service = undefined
    await this.#file.lock.release()
  }

  #restore(service: Service): string {
    const restored = restoreSnapshot(service, this.#file.found)
    if (!restored.ok) throw unusable(this.#file.path, restored.message)
    const usable = service.keys.all().find(({ isRevoked }) => !isRevoked)
    if (usable !== undefined) return usable.key
    // Not saved: the same state creates the same key again.
    return createKey(service, {}).key
  }

  async #saveOrWarn(): Promise<void> {
    const { path, warn } = this.#file
    await this.#save().catch((error: unknown) =>
      warn(`The state could not be written to ${path}: ${messageWithCause(error)}`),
    )
  }

  /** One save after the other. Each saves the state at its start. */
  #save(): Promise<void> {
    const saved = this.#lastSave.then(async () => {
      if (this.#service === undefined) return
      const startedAt = performance.now()
      const text = JSON.stringify(takeSnapshot(this.#service))
      this.#pauseMs = Math.max(SAVE_AFTER_MS, (performance.now() - startedAt) / LARGEST_SHARE)
      await replaceFile(this.#file.path, text)
    })
    this.#lastSave = saved.catch(() => {}) // the caller gets the error
    return saved
  }
}

function unusable(path: string, reason: string): UsageError {
  return new UsageError(
    `The state ${path} cannot be used, and was left as it is: ${reason.replaceAll(/\s+/g, ' ')} Move it away to start with a new one.`,
  )
}

async function readState(path: string): Promise<unknown> {
  const text = await readText('state', path)
  try {
    return text === undefined ? undefined : parseJsonText(text)
  } catch {
    throw unusable(path, 'it is not JSON.')
  }
}
