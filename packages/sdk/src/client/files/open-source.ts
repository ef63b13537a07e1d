import {
  ConfigurationError,
  isArrayBuffer,
  isBlob,
  kindOf,
  messageWithCause,
  nodeBuiltin,
  stringIn,
  toUrl,
} from '@modelrun/kit'

/** A file of the caller's: a Blob or File, its bytes, or (in Node, Bun and Deno) its path or `file:` URL. */
export type FileSource = Blob | ArrayBuffer | ArrayBufferView | string | URL

export interface OpenFile {
  /** For messages. */
  name: string
  byteLength: number
  /** Media type that the source itself states; empty when it states none. */
  type: string
  /** @throws What the system throws */
  read(): Promise<Uint8Array>
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
    message: `\`toDataUri\` takes a Blob, a File, bytes, or the path of a file, not ${kindOf(source)}. Of a response or a stream, pass \`await new Response(body).blob()\`.`,
  })
}

function openBlob(blob: Blob): OpenFile {
  const fileName = stringIn(blob, 'name')
  const name = fileName === undefined ? 'The Blob' : `The file ${shown(fileName)}`
  return { name, byteLength: blob.size, type: blob.type, read: async () => new Uint8Array(await blob.arrayBuffer()) }
}

function openBytes(bytes: Uint8Array): OpenFile {
  return { name: 'The file', byteLength: bytes.byteLength, type: '', read: () => Promise.resolve(bytes) }
}

/** Distinguishes a path from a URL. A Windows path such as `C:\photo.png` would be a URL, too. */
function readLocation(source: string): string | URL {
  if (!/^(https?|blob|file):/i.test(source)) return source
  const url = toUrl(source)
  if (url?.protocol === 'file:') return url
  throw new ConfigurationError({
    message: `\`toDataUri\` reads files, not ${shown(source)}. A model takes an http or https URL as it is; of a blob: URL, pass \`await (await fetch(url)).blob()\`.`,
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
  const { size } = await fs.stat(path).catch((error) => Promise.reject(unreadable(name, error)))
  return { name, byteLength: size, type: '', read: () => fs.readFile(path) }
}

export function unreadable(name: string, cause: unknown): ConfigurationError {
  const problem = shorten(messageWithCause(cause))
  const message = `${name} cannot be read: ${problem}. A relative path starts at \`process.cwd()\`; base64 text needs \`data:image/png;base64,\` (its own type) before it.`
  return new ConfigurationError({ message, cause })
}

function shown(text: string): string {
  return JSON.stringify(shorten(text))
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 80)}…` : text
}
