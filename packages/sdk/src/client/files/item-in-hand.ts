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
    const plain = percentDecoded(data)
    const isBase64 = /;\s*base64$/i.test(parameters ?? '')
    const content = isBase64 ? atob(plain.replaceAll('-', '+').replaceAll('_', '/')) : plain
    const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0))
    return { bytes, contentType: type || 'text/plain' }
  } catch (cause) {
    throw new ConfigurationError({ message: 'The data URI of the file cannot be decoded.', cause })
  }
}

/** The bytes of a text as characters up to U+00FF: a data URI may have those of any file in it. */
function percentDecoded(text: string): string {
  const ascii = text.replace(/\P{ASCII}+/gu, encodeURIComponent)
  return ascii.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
