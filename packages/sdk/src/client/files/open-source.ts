import { ConfigurationError, hasMethods, isArrayBuffer, isBlob, kindOf, memberOf, toUrl } from '@modelrun/kit'
import { nodeBuiltin } from '../../shared/node-builtin.ts'

/** A file of the caller's: a Blob or File, its bytes, or (in Node, Bun and Deno) its path or `file:` URL. */
export type FileSource = Blob | ArrayBuffer | ArrayBufferView | string | URL

/** A file that can be read. */
export interface OpenFile {
  /** For messages. */
  name: string
  byteLength: number
  /** Media type that the source itself states; empty when it states none. */
  type: string
  /** @throws ConfigurationError */
  read(): Promise<Uint8Array>
}

/** What to do with a value that is not a file yet, for error messages. */
const ADVICE: Readonly<Record<string, string>> = {
  Response: 'Pass `await response.blob()`, if `response.ok`.',
  ReadableStream: 'Pass `await new Response(stream).blob()`.',
  FileList: 'Pass one file of it, such as `input.files[0]`.',
  undefined: 'Was a file chosen?',
  null: 'Was a file chosen?',
}

/** @throws ConfigurationError when the source is not a file that can be read here */
export async function openSource(source: FileSource): Promise<OpenFile> {
  if (isBlob(source)) return openBlob(source)
  if (ArrayBuffer.isView(source)) {
    return openBytes(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))
  }
  if (isArrayBuffer(source)) return openBytes(new Uint8Array(source))
  if (kindOf(source) === 'URL' || typeof source === 'string') return await openPath(readLocation(String(source)))
  throw new ConfigurationError({
    message: `\`toDataUri\` takes a Blob, a File, bytes, or the path of a file, not ${kindOf(source)}.${adviceFor(source)}`,
  })
}

function adviceFor(source: unknown): string {
  if (typeof source === 'object' && source !== null) {
    if (hasMethods(source, 'then')) return ' Await it first.'
    if (hasMethods(source, 'pipe')) return " Pass `await buffer(stream)`, from 'node:stream/consumers'."
  }
  const advice = ADVICE[kindOf(source)]
  return advice === undefined ? '' : ` ${advice}`
}

function openBlob(blob: Blob): OpenFile {
  const fileName: unknown = 'name' in blob ? blob.name : undefined
  const name = typeof fileName === 'string' ? `The file ${shown(fileName)}` : 'The Blob'
  const read = async () => {
    try {
      return new Uint8Array(await blob.arrayBuffer())
    } catch (error) {
      throw unreadable(name, error)
    }
  }
  return { name, byteLength: blob.size, type: blob.type, read }
}

function openBytes(bytes: Uint8Array): OpenFile {
  return { name: 'The file', byteLength: bytes.byteLength, type: '', read: () => Promise.resolve(bytes) }
}

/** Distinguishes a path from a URL. A Windows path such as `C:\photo.png` would be a URL, too. */
function readLocation(source: string): string | URL {
  const scheme = /^(https?|blob|file):/i.exec(source)?.[1]?.toLowerCase()
  if (scheme === undefined) return source
  const fileUrl = scheme === 'file' ? toUrl(source) : undefined
  if (fileUrl !== undefined) return fileUrl
  const advice =
    scheme === 'blob'
      ? 'Pass `await (await fetch(url)).blob()`.'
      : 'It needs no conversion: pass it to the model as it is.'
  throw new ConfigurationError({
    message: `\`toDataUri\` reads files, and ${shown(source)} is a URL. ${scheme === 'file' ? 'It is not valid.' : advice}`,
  })
}

async function openPath(path: string | URL): Promise<OpenFile> {
  // Not imported: browsers have no such module, and bundlers for them would stumble.
  const fs = nodeBuiltin('node:fs/promises')
  if (fs === undefined) {
    throw new ConfigurationError({
      message: `This runtime has no file system to read ${shown(String(path))} from. Pass a File, a Blob or bytes.`,
    })
  }
  const name = `The file ${shown(String(path))}`
  const attempt = async <T>(work: Promise<T>) =>
    await work.catch((error: unknown) => {
      throw unreadable(name, error)
    })
  const stats = await attempt(fs.stat(path))
  if (!stats.isFile()) {
    throw new ConfigurationError({
      message: `${name} is ${stats.isDirectory() ? 'a folder' : 'not an ordinary file'}.`,
    })
  }
  return { name, byteLength: stats.size, type: '', read: () => attempt(fs.readFile(path)) }
}

function unreadable(name: string, cause: unknown): ConfigurationError {
  // Not by `instanceof Error`: under Jest, errors of Node come from another realm.
  return new ConfigurationError({ message: `${name} ${problemOf(memberOf(cause, 'code'), cause)}`, cause })
}

function problemOf(code: unknown, cause: unknown): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist. A relative path starts at the working folder of the program, `process.cwd()`.'
    case 'ENAMETOOLONG':
      return 'does not exist: no path is so long. If it is base64 text, put `data:image/png;base64,` (its own type) before it.'
    default:
      return `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 80)}…` : text)
}
