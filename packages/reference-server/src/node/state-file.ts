import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Service } from '../service/service.ts'
import { createKey } from '../service/tenants.ts'
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts'
import { snapshotText } from '../snapshot/snapshot-text.ts'
import { viewSnapshot } from '../snapshot/take-snapshot.ts'
import { UsageError } from './errors.ts'
import { parseJsonText } from './json-file.ts'
import { replaceFile } from './replace-file.ts'
import { lockFile, type StateLock } from './state-lock.ts'

/** After a change, others that follow soon are written along with it. */
const SAVE_AFTER_MS = 300

/** Of its time a server spends at most so much on saving: the larger its state, the more seldom it is written. */
const LARGEST_SHARE = 0.05

/** What the user should know although the server continues. */
export type Warn = (line: string) => void

/**
 * Opens the file of `--state`, which stores the state of a server over restarts, for this process alone.
 *
 * @throws UsageError when it cannot be read, is not JSON, or another server stores its state there
 */
export async function openState(path: string, warn: Warn): Promise<StateFile> {
  const target = await targetOf(path)
  const lock = await lockFile(target, 'state')
  if (lock === undefined) warn(`The state ${path} cannot be locked here. Let no other server use it.`)
  try {
    if (lock !== undefined) await removeLeftovers(target)
    return new StateFile({ path, target, found: await readState(path), lock, warn })
  } catch (error) {
    await lock?.release()
    throw error
  }
}

interface OpenedState {
  path: string
  /** The file itself, when the path is a link. */
  target: string
  /** Its content; the server checks it. */
  found: unknown
  lock: StateLock | undefined
  warn: Warn
}

/** The file that stores the state of a server. */
export class StateFile {
  readonly #file: Readonly<Omit<OpenedState, 'found'>>
  /** Until the state was read. */
  #found: unknown
  #service: Service | undefined
  #timer: NodeJS.Timeout | undefined
  #lastSave: Promise<void> = Promise.resolve()
  #pauseMs = SAVE_AFTER_MS

  constructor({ found, ...file }: OpenedState) {
    this.#file = file
    this.#found = found
  }

  /**
   * Puts a server into the state of the file, if there was one, and stores its state there from now on.
   *
   * @returns the keys that can be used in it; `undefined` when the file is new
   * @throws UsageError when the server cannot continue from it, or it cannot be written; an old file stays as it is
   */
  async start(service: Service): Promise<readonly string[] | undefined> {
    const keys = this.#found === undefined ? undefined : this.#restore(service)
    this.#found = undefined
    try {
      // A file that could be locked can be written. To write a large one again would only cost time.
      if (keys === undefined || this.#file.lock === undefined) await this.#save(service)
      else await checkLock(this.#file)
    } catch (error) {
      throw new UsageError(`The state ${this.#file.path} cannot be written: ${messageOf(error)}`)
    }
    this.#service = service
    return keys
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
    await this.#file.lock?.release()
  }

  #restore(service: Service): readonly string[] {
    const restored = restoreSnapshot(service, this.#found)
    if (!restored.ok) throw new UsageError(unusable(this.#file.path, restored.message))
    const usable = service.keys.all().filter(({ isRevoked }) => !isRevoked)
    if (usable.length > 0) return usable.map(({ key }) => key)
    // Nothing needs to be saved for it: the same key comes from the same state once more.
    const created = createKey(service, {})
    return created.ok ? [created.value.key] : []
  }

  async #saveOrWarn(): Promise<void> {
    try {
      if (this.#service !== undefined) await this.#save(this.#service)
    } catch (error) {
      this.#file.warn(`The state could not be written to ${this.#file.path}: ${messageOf(error)}`)
    }
  }

  /** One save after the other. Each saves the state at its start. */
  #save(service: Service): Promise<void> {
    const saved = this.#lastSave.then(() => this.#write(service))
    this.#lastSave = saved.catch(() => {}) // the caller gets the error
    return saved
  }

  async #write(service: Service): Promise<void> {
    let busyMs = 0
    // Between two parts the server responds to requests.
    function* timed(): Iterable<string> {
      let startedAt = performance.now()
      for (const part of snapshotText(viewSnapshot(service))) {
        busyMs += performance.now() - startedAt
        yield part
        startedAt = performance.now()
      }
    }
    await replaceFile(this.#file.target, timed(), () => checkLock(this.#file))
    this.#pauseMs = Math.max(SAVE_AFTER_MS, busyMs / LARGEST_SHARE)
  }
}

async function checkLock({ lock }: Pick<OpenedState, 'lock'>): Promise<void> {
  if ((await lock?.isHeld()) === false) throw new Error('another server has started to store its state there.')
}

function unusable(path: string, reason: string): string {
  return `The state ${path} cannot be used, and was left as it is: ${reason.replaceAll(/\s+/g, ' ')}`
}

/** The file that a path means. Of links that lead to a file that is not there yet, the last one says where it will be. */
async function targetOf(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined)
  if (link !== undefined) {
    return realpath(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return targetOf(resolve(dirname(path), link))
      throw new UsageError(`The state ${path} cannot be read: ${error.message}`)
    })
  }
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
  return join(folder, basename(path))
}

async function readState(path: string): Promise<unknown> {
  const text = await readText(path)
  try {
    return text === undefined ? undefined : parseJsonText(text)
  } catch {
    throw new UsageError(unusable(path, 'it is not JSON.'))
  }
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

/** The parts of files that servers wrote when they were killed. */
async function removeLeftovers(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  const isLeftover = (file: string) =>
    file.startsWith(`${name}.`) && /^\.[0-9a-f]{8}\.tmp$/.test(file.slice(name.length))
  for (const file of await readdir(folder)) if (isLeftover(file)) await rm(join(folder, file), { force: true })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
