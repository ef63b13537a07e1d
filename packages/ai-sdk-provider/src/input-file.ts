import { toDataUri } from 'modelrun'

/** A file of `ImageModelV4` or `VideoModelV4`: the two have the same shape. */
export type InputFile =
  | { type: 'url'; url: string }
  | { type: 'file'; mediaType?: string | undefined; data: string | Uint8Array }

/** The URL that a parameter takes. A file becomes a data URI. @throws ConfigurationError when it is too large */
export async function toUrl(file: InputFile): Promise<string> {
  if (file.type === 'url') return file.url
  const bytes = typeof file.data === 'string' ? fromBase64(file.data) : file.data
  return await toDataUri(bytes, { type: file.mediaType })
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
