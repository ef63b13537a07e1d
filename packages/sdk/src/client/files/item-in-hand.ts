import { ConfigurationError, memberOf, stringIn } from '@modelrun/kit'

/** A file whose content is in the response of the job. */
export interface FileInHand {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
}

const DATA_URI = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** The content of an item that is a data URI, or a text without a url. Undefined for all others. */
export function fileInHand(item: unknown): FileInHand | undefined {
  const url = typeof item === 'string' ? item : memberOf(item, 'url')
  const text = url === undefined || url === null ? stringIn(item, 'text') : undefined
  if (text !== undefined) return { bytes: new TextEncoder().encode(text), contentType: 'text/plain' }
  return typeof url === 'string' ? readDataUri(url.trimStart()) : undefined
}

function readDataUri(uri: string): FileInHand | undefined {
  const [head, type, parameters] = DATA_URI.exec(uri) ?? []
  if (head === undefined) return undefined
  const data = uri.slice(head.length)
  try {
    const isBase64 = /;\s*base64$/i.test(parameters ?? '')
    const bytes = isBase64 ? fromBase64(data) : new TextEncoder().encode(decodeURIComponent(data))
    return { bytes, contentType: type || 'text/plain' }
  } catch (cause) {
    throw new ConfigurationError({ message: 'The data URI of the file cannot be decoded.', cause })
  }
}

function fromBase64(data: string): Uint8Array<ArrayBuffer> {
  const plain = (data.includes('%') ? decodeURIComponent(data) : data).replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
}
