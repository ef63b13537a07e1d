import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { MAX_NESTING, nestingProblem, nestsDeeperThan } from '../shared/parse-shape.ts'
import { UsageError } from './errors.ts'

/**
 * Reads a file that an option names. The server checks its content.
 *
 * @param what What the file is, as in "The catalog models.json is not JSON"
 * @throws UsageError when it cannot be read, or is not JSON
 */
export async function readJsonFile(what: string, path: string): Promise<unknown> {
  const text = await readText(what, path)
  if (text === undefined) throw new UsageError(`The ${what} ${path} cannot be read: there is no such file.`)
  const value = parseText(text, `The ${what} ${path}`)
  if (nestsDeeperThan(MAX_NESTING, value)) throw new UsageError(`The ${what} ${path} ${nestingProblem()}.`)
  return value
}

function parseText(text: string, file: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    // The message may quote lines of the file.
    throw new UsageError(`${file} is not JSON: ${String(error).replaceAll(/\s+/g, ' ')}`)
  }
}

/** @throws SyntaxError for what is not JSON */
export function parseJsonText(text: string): unknown {
  // Some editors put a byte order mark before the text.
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/** The text of a file; `undefined` when there is none. @throws UsageError when it cannot be read */
export async function readText(what: string, path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(({ code = '', message }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(`The ${what} ${path} cannot be read: ${REASONS.get(code) ?? message}`)
  })
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EISDIR', 'it is a directory.'],
  ['EACCES', 'this process may not.'],
])

/**
 * Replaces a file, or the file that a link leads to. A reader of it finds the old text or the new one, and never a part,
 * also after a crash. No other user can read it. For one writer at a time.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const next = `${target}.tmp`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(next, target)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(next, { force: true }).catch(() => {})
    throw error
  }
}
