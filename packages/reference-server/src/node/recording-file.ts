import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'
import type { CatalogModel } from '../domain/catalog.ts'
import { exchangeSchema, type RecordedExchange } from '../recording/exchange.ts'
import { recordedCatalog } from '../recording/recorded-catalog.ts'
import { parseShape } from '../shared/parse-shape.ts'
import { UsageError } from './errors.ts'
import { readText } from './json-file.ts'

/** In the folder of a recording: a line of JSON for the service, and one for each exchange. */
const FILE = 'exchanges.jsonl'
const headSchema = z.strictObject({
  format: z.literal('modelrun-recording'),
  version: z.literal(2),
  service: z.string(),
})

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
  const path = join(folder, FILE)
  const text = await readText('recording', path)
  if (text === undefined) {
    throw new UsageError(`${folder} is not a recording: it has no ${FILE}. modelrun-server --record makes one.`)
  }
  // Without a last line that a crash cut off.
  const [head = '', ...lines] = text.split('\n').slice(0, -1)
  readLine(headSchema, head, `${path}, line 1`)
  return {
    catalog: recordedCatalog(lines.map((line, index) => readLine(exchangeSchema, line, `${path}, line ${index + 2}`))),
  }
}

function readLine<Value>(schema: z.ZodMiniType<Value>, line: string, place: string): Value {
  const json = tryParseJson(line)
  const checked = parseShape(schema, json)
  if (checked.ok) return checked.value
  const reason = json === undefined ? 'It is not JSON.' : checked.message
  throw new UsageError(`The recording is damaged: ${place}: ${reason} Remove the line, or record again.`)
}

export type Store = (exchange: RecordedExchange) => Promise<void>

/**
 * Starts the recording of a service. No other user can read it.
 *
 * @throws UsageError when the folder has one, or cannot be written
 */
export async function startRecording(folder: string, service: string): Promise<Store> {
  const path = join(folder, FILE)
  const add = (line: object, flag: 'a' | 'ax') => appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600, flag })
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await add({ format: 'modelrun-recording', version: 2, service }, 'ax')
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException // of the file system
    const isFile = syscall === 'mkdir' && (code === 'EEXIST' || code === 'ENOTDIR')
    const reason = code === 'EEXIST' ? 'it has a recording. Name another folder.' : message
    throw new UsageError(`--to ${folder} cannot be used: ${isFile ? 'it is not a folder.' : reason}`)
  }
  return (exchange) => add(exchange, 'a')
}
