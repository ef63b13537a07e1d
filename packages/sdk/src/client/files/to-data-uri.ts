import { type Checks, ConfigurationError, positive, readOptions, text } from '@modelrun/kit'
import type { ToDataUriOptions } from './file-options.ts'
import { mediaTypeOf } from './media-type.ts'
import { type FileSource, openSource, unreadable } from './open-source.ts'

const OPTIONS: Checks<ToDataUriOptions> = { type: text, maxBytes: positive }

/** 1 024 000 characters of base64, which leaves 24 576 of 1 MiB to the rest of the request. */
const DEFAULT_MAX_BYTES = 768_000

/** A multiple of 3, so that the parts join without padding; few enough to be the arguments of a call. */
const BASE64_PART_BYTES = 24_576

/**
 * Makes a data URI of a file, for a parameter that takes the URL of a source file, such as `image_url` (section 2.3).
 * A file that has a URL needs none: pass its http or https URL as it is. A data URI is given back unchanged.
 *
 * @param source A Blob or File, a Buffer or other bytes, or (in Node, Bun and Deno) the path of a file or its `file:` URL
 * @throws ConfigurationError when the source cannot be read, is empty or larger than `maxBytes`, when its type is not
 *   known, or its content is not what its type says
 * @example
 * const image_url = await toDataUri('photo.png')
 * const result = await client.run('inkfield/restyle', { image_url, prompt: 'as a woodcut' })
 */
export async function toDataUri(source: FileSource, options: ToDataUriOptions = {}): Promise<string> {
  const { type: given, maxBytes = DEFAULT_MAX_BYTES } = readOptions('toDataUri', options, OPTIONS)
  if (typeof source === 'string' && /^data:/i.test(source)) return source
  const file = await openSource(source)
  checkSize(file.name, file.byteLength, maxBytes)
  const bytes = await file.read().catch((error) => Promise.reject(unreadable(file.name, error)))
  checkSize(file.name, bytes.byteLength, maxBytes)
  if (bytes.byteLength === 0) throw new ConfigurationError({ message: `${file.name} is empty.` })
  const type = await mediaTypeOf({ name: file.name, type: file.type, bytes }, given)
  return `data:${type};base64,${toBase64(bytes)}`
}

function checkSize(name: string, byteLength: number, maxBytes: number): void {
  if (byteLength <= maxBytes) return
  const base64Length = Math.ceil(byteLength / 3) * 4
  throw new ConfigurationError({
    message:
      `${name} has ${byteLength} bytes, more than maxBytes (${maxBytes}); it would take ${base64Length} characters of the request. ` +
      'Make the file smaller, or pass an http or https URL of it; or raise maxBytes for a service that takes more.',
  })
}

function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let offset = 0; offset < bytes.byteLength; offset += BASE64_PART_BYTES) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(offset, offset + BASE64_PART_BYTES))))
  }
  return parts.join('')
}
