import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { messageOf, UsageError } from '../errors.ts'

export interface TextSource {
  /** `-` is standard input. */
  path: string
  /** The option that names it, such as `--inputs`. */
  option: string
}

/** Byte order marks. That of UTF-8 changes nothing. */
const MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' }

/**
 * Reads a text in UTF-8, or in the UTF-16 that its byte order mark says. Other bytes are never replaced: a prompt with `�` in place
 * of its letters would be paid.
 *
 * @throws UsageError which names the line and the column
 */
export async function readText(source: TextSource): Promise<string> {
  const { path } = source
  let bytes: Buffer
  try {
    bytes = path === '-' ? await buffer(process.stdin) : readFileSync(path)
  } catch (error) {
    throw new UsageError(`${sourceName(source)} cannot be read: ${messageOf(error)}`)
  }
  const encoding = MARKS[bytes.subarray(0, 2).toString('hex')] ?? 'utf-8'
  try {
    // Files that were put together have several marks.
    return decode(bytes, encoding, true).replace(/^\ufeff+/, '')
  } catch {
    // The first that is replaced is wrong.
    const [good = ''] = decode(bytes, encoding, false).split('\ufffd', 1)
    const place = `line ${good.split('\n').length}, column ${good.length - good.lastIndexOf('\n')}`
    throw new UsageError(
      `${sourceName(source)} is not ${encoding.toUpperCase()}: ${place}. Nothing was sent. ` +
        'Save it as UTF-8, which spreadsheets call "CSV UTF-8".',
    )
  }
}

function decode(bytes: Uint8Array, encoding: string, fatal: boolean): string {
  return new TextDecoder(encoding, { fatal }).decode(bytes)
}

export function sourceName({ path, option }: TextSource): string {
  return path === '-' ? 'Standard input' : `The file ${path} of ${option}`
}
