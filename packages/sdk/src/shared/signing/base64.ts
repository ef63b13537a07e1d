/** Encodes bytes as base64url (RFC 4648, section 5), without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Decodes base64url or base64. @throws DOMException for other text */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

/** Returns 128 random bits as base64url. */
export function randomId(): string {
  return toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(16)))
}
