import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import type { CatalogModel } from '../../domain/catalog.ts'
import { membersOf } from '../../recording/exchange.ts'
import type { Recording } from '../../recording/findings.ts'
import type { Redactor } from '../../recording/redactor.ts'
import { UsageError } from '../errors.ts'
import { readJsonFile, replaceFile } from '../json-file.ts'
import { lockFile, type StateLock } from '../state-lock.ts'

const FORMAT = 'modelrun-recording'
const VERSION = 1

/** Names of the files: what was recorded, and the files of `--profile` and `--catalog`. */
const MAIN = 'recording.json'
export const PROFILE = 'profile.json'
export const MODELS = 'models.json'

/**
 * Reads what `modelrun-server --record` has written, as options of a server that does the same.
 *
 * @example
 * const server = createReferenceServer({ ...(await loadRecording('recordings/production')), clock: 'auto' })
 *
 * @throws Error when the folder is not a recording, or one of a newer release; the message says which
 */
export async function loadRecording(
  folder: string,
): Promise<{ catalog: readonly CatalogModel[]; profile: AssumptionOptions }> {
  const { catalog, profile } = await readRecording(folder)
  return { catalog, profile }
}

async function readRecording(folder: string): Promise<Recording> {
  const names: readonly string[] = await readdir(folder).catch(() => [])
  if (!names.includes(MAIN)) {
    throw new UsageError(`${folder} is not a recording: it has no ${MAIN}. modelrun-server --record makes one.`)
  }
  const [main, profile, catalog] = await Promise.all(
    [MAIN, PROFILE, MODELS].map((name) => readJsonFile('recording', join(folder, name))),
  )
  const { format, version, service, exchanges, not_replayed } = membersOf(main)
  if (format !== FORMAT || typeof service !== 'string') {
    throw new UsageError(`${folder} is not a recording: its ${MAIN} is of something else.`)
  }
  if (version !== VERSION) {
    throw new UsageError(
      `The recording ${folder} has the version ${JSON.stringify(version)}, and this release reads version ${VERSION}. ` +
        'Use the release that made it, or record again.',
    )
  }
  return {
    service,
    exchanges: Number(exchanges) || 0,
    // Unchecked: the server that is made of them checks both.
    catalog: catalog as readonly CatalogModel[],
    profile: profile as AssumptionOptions,
    notReplayed: [not_replayed ?? []].flat().map(String),
  }
}

/** The folder that a recorder writes, for this process alone. */
export class RecordingFolder {
  readonly #path: string
  readonly #redactor: Redactor
  readonly #lock: StateLock
  readonly #written = new Map<string, string>()

  private constructor(path: string, redactor: Redactor, lock: StateLock) {
    this.#path = path
    this.#redactor = redactor
    this.#lock = lock
  }

  /**
   * @returns the folder, and the recording of the same service that is continued
   * @throws UsageError when the folder cannot be written, or holds something else
   */
  static async open(
    path: string,
    service: string,
    redactor: Redactor,
  ): Promise<{ folder: RecordingFolder; recording: Recording }> {
    const names = await createFolder(path)
    const lock = await lockFile(join(path, MAIN), 'recording')
    try {
      const isNew = names.every((name) => name.startsWith(`${MAIN}.`))
      const recording = isNew ? newRecording(service) : await readRecording(path)
      if (recording.service !== service) {
        throw new UsageError(`${path} holds a recording of ${recording.service}. Name another folder for ${service}.`)
      }
      const folder = new RecordingFolder(path, redactor, lock)
      await folder.save(recording)
      return { folder, recording }
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** Writes what has changed. A reader finds whole files at any time. */
  async save({ service, exchanges, catalog, profile, notReplayed }: Recording): Promise<void> {
    await this.#write(PROFILE, profile)
    await this.#write(MODELS, catalog)
    await this.#write(MAIN, { format: FORMAT, version: VERSION, service, exchanges, not_replayed: notReplayed })
  }

  async close(): Promise<void> {
    await this.#lock.release()
  }

  async #write(name: string, value: unknown): Promise<void> {
    const text = `${JSON.stringify(this.#redactor.value(value), null, 2)}\n`
    if (this.#written.get(name) === text) return
    await replaceFile(join(this.#path, name), text)
    this.#written.set(name, text)
  }
}

function newRecording(service: string): Recording {
  return { service, exchanges: 0, catalog: [], profile: {}, notReplayed: [] }
}

/** @returns the names of what is in it */
async function createFolder(path: string): Promise<string[]> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return await readdir(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // `fs` rejects with nothing else
    const isFile = code === 'EEXIST' || code === 'ENOTDIR'
    throw new UsageError(`--to ${path} cannot be used: ${isFile ? 'it is not a folder.' : message}`)
  }
}
