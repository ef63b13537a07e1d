import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { messageOf, UsageError } from '../errors.ts'

/** A text of the user. */
export interface TextSource {
  /** `-` is standard input. */
  path: string
  /** The option that names it, such as `--inputs`. */
  option: string
  /** A label of the Encoding standard, such as `latin1`. Default: UTF-8, or the UTF-16 that its byte order mark says. */
  encoding?: string | undefined
}

/**
 * Reads a text. Bytes that are not of its encoding are never replaced: a prompt with `�` in place of its letters would be paid.
 *
 * @throws UsageError which names the line and the column
 */
export async function readText(source: TextSource): Promise<string> {
  const { path } = source
  if (source.encoding !== undefined) createDecoder(source.encoding)
  let bytes: Buffer
  try {
    bytes = path === '-' ? await buffer(process.stdin) : readFileSync(path)
  } catch (error) {
    throw new UsageError(`${sourceName(source)} cannot be read: ${messageOf(error)}`)
  }
  const encoding = source.encoding ?? MARKS[bytes.subarray(0, 2).toString('hex')] ?? 'utf-8'
  try {
    // Files that were put together have several marks.
    return createDecoder(encoding)
      .decode(bytes)
      .replace(/^\ufeff+/, '')
  } catch {
    throw new UsageError(wrongBytes(source, bytes, encoding))
  }
}

/** Byte order marks. That of UTF-8 changes nothing. */
const MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' }

/** The source at the start of a sentence. */
export function sourceName({ path, option }: TextSource): string {
  return path === '-' ? 'Standard input' : `The file ${path} of ${option}`
}

function createDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    throw new UsageError(`--encoding ${encoding} is not the name of an encoding, such as latin1 or utf-16le.`)
  }
}

function wrongBytes(source: TextSource, bytes: Buffer, encoding: string): string {
  const name = sourceName(source)
  const good = goodPart(bytes, encoding)
  const line = good.split('\n').length
  const column = good.length - good.lastIndexOf('\n')
  const remedy =
    source.option === '--inputs'
      ? 'If it is Latin-1, as spreadsheets of Windows write CSV, add --encoding latin1. Or save it as UTF-8.'
      : 'Save it as UTF-8.'
  return `${name} is not ${encoding.toUpperCase()}: line ${line}, column ${column}. Nothing was sent. ${remedy}`
}

/** The text before the first byte that is wrong: bytes are decoded one by one. */
function goodPart(bytes: Buffer, encoding: string): string {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let good = ''
  try {
    for (let place = 0; place < bytes.length; place++)
      good += decoder.decode(bytes.subarray(place, place + 1), { stream: true })
  } catch {}
  return good
}
