import { appendFile, mkdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'
import type { CatalogModel } from '../domain/catalog.ts'
import { exchangeSchema, type RecordedExchange } from '../recording/exchange.ts'
import { recordedCatalog } from '../recording/recorded-catalog.ts'
import { parseShape } from '../shared/parse-shape.ts'
import { UsageError } from './errors.ts'
import { readText } from './json-file.ts'
import { lockFile, type StateLock } from './state-lock.ts'

/** In the folder of a recording: a line of JSON for the service, and one for each exchange. */
const FILE = 'exchanges.jsonl'
const headSchema = z.strictObject({
  format: z.literal('modelrun-recording'),
  version: z.literal(2),
  service: z.string(),
})

interface Recording {
  service: string
  exchanges: RecordedExchange[]
  /** Without a last line that a crash cut off. */
  bytes: number
}

/**
 * Reads what `modelrun-server --record` has written, as options of a server that does the same: its models, prices, kinds of
 * output and times.
 *
 * @example
 * const server = createReferenceServer({ ...(await loadRecording('recordings/production')), clock: 'auto' })
 *
 * @throws Error when the folder is not a recording, or a line of it is damaged; the message says which and why
 */
export async function loadRecording(folder: string): Promise<{ catalog: readonly CatalogModel[] }> {
  const recording = await readRecording(folder)
  if (recording === undefined) {
    throw new UsageError(`${folder} is not a recording: it has no ${FILE}. modelrun-server --record makes one.`)
  }
  return { catalog: recordedCatalog(recording.exchanges) }
}

async function readRecording(folder: string): Promise<Recording | undefined> {
  const path = join(folder, FILE)
  const text = await readText('recording', path)
  if (text === undefined) return undefined
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [head = '', ...lines] = whole.split('\n').slice(0, -1)
  const { service } = readLine(headSchema, head, `${path}, line 1`)
  const exchanges = lines.map((line, index) => readLine(exchangeSchema, line, `${path}, line ${index + 2}`))
  return { service, exchanges, bytes: Buffer.byteLength(whole) }
}

function readLine<Value>(schema: z.ZodMiniType<Value>, line: string, place: string): Value {
  const json = tryParseJson(line)
  const checked = parseShape(schema, json)
  if (checked.ok) return checked.value
  const reason = json === undefined ? 'It is not JSON.' : checked.message
  throw new UsageError(`The recording is damaged: ${place}: ${reason} Remove the line, or record again.`)
}

/** The file that a recorder writes, for this process alone. */
export class RecordingFile {
  /** How many exchanges it had when it was opened. */
  readonly count: number
  readonly #path: string
  readonly #lock: StateLock

  private constructor(path: string, lock: StateLock, count: number) {
    this.#path = path
    this.#lock = lock
    this.count = count
  }

  /** @throws UsageError when the folder cannot be written, or holds the recording of another service */
  static async open(folder: string, service: string): Promise<RecordingFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      const isFile = error.code === 'EEXIST' || error.code === 'ENOTDIR'
      throw new UsageError(`--to ${folder} cannot be used: ${isFile ? 'it is not a folder.' : error.message}`)
    })
    const path = join(folder, FILE)
    const lock = await lockFile(path, 'recording')
    try {
      const found = await readRecording(folder)
      if (found !== undefined && found.service !== service) {
        throw new UsageError(`${folder} holds a recording of ${found.service}. Name another folder for ${service}.`)
      }
      const file = new RecordingFile(path, lock, found?.exchanges.length ?? 0)
      if (found !== undefined) await truncate(path, found.bytes)
      else await file.add({ format: 'modelrun-recording', version: 2, service })
      return file
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** No other user can read it. */
  async add(line: object): Promise<void> {
    await appendFile(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }

  async close(): Promise<void> {
    await this.#lock.release()
  }
}
