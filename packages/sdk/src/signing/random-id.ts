import { toBase64Url } from './base64.ts'

/** 128 random bits, as text. */
export function randomId(): string {
  return toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(16)))
}
