import { type Check, ConfigurationError, isPlainData } from '@modelrun/kit'

/** One secret, or several by id while one replaces another. */
export type Secret = string | Readonly<Record<string, string>>

const MIN_SECRET_BYTES = 32
const KEY_ID = /^[A-Za-z0-9_-]{1,16}$/
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Creates a keyring. Each key is imported once, when it is first needed.
 *
 * @throws ConfigurationError when a secret is shorter than 32 bytes, or an id is not 1 to 16 letters, digits, `_`, `-`
 */
export function createKeyring(secret: Secret) {
  const secrets = typeof secret === 'string' ? [{ kid: '1', text: secret }] : readSecrets(secret)
  const [signer] = secrets
  if (signer === undefined) throw new ConfigurationError({ message: '`secret` has no key: pass at least one.' })
  const bytesByKid = new Map(secrets.map(({ kid, text }) => [kid, secretBytes(kid, text)]))
  const keys = new Map<string, Promise<CryptoKey>>()
  const encoder = new TextEncoder()

  function keyOf(kid: string): Promise<CryptoKey> | undefined {
    const bytes = bytesByKid.get(kid)
    if (bytes === undefined) return undefined
    const key = keys.get(kid) ?? globalThis.crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign', 'verify'])
    keys.set(kid, key)
    return key
  }

  return {
    signer: signer.kid,
    sign: async (text: string): Promise<Uint8Array> => {
      const key = await keyOf(signer.kid)
      // The keyring has the key of the signer.
      return new Uint8Array(await globalThis.crypto.subtle.sign(HMAC, key as CryptoKey, encoder.encode(text)))
    },
    /** Verifies an HMAC in constant time. False for an unknown key id. */
    verify: async (kid: string, mac: Uint8Array<ArrayBuffer>, text: string): Promise<boolean> => {
      const key = await keyOf(kid)
      return key !== undefined && (await globalThis.crypto.subtle.verify(HMAC, key, mac, encoder.encode(text)))
    },
  }
}

/**
 * Returns the secrets in order: the first key signs. JavaScript moves integer-like keys to the front, so those are sorted last,
 * the highest first.
 */
function readSecrets(secret: Readonly<Record<string, string>>): { kid: string; text: string }[] {
  const entries = Object.entries(secret).map(([kid, text]) => ({ kid, text }))
  const isMoved = ({ kid }: { kid: string }) => String(Number(kid) >>> 0) === kid
  return [...entries.filter((entry) => !isMoved(entry)), ...entries.filter(isMoved).reverse()]
}

function secretBytes(kid: string, secret: string): Uint8Array<ArrayBuffer> {
  if (!KEY_ID.test(kid)) {
    throw new ConfigurationError({
      message: `The id ${JSON.stringify(kid)} of a key in \`secret\` is not 1 to 16 letters, digits, "_" or "-".`,
    })
  }
  const bytes = new TextEncoder().encode(typeof secret === 'string' ? secret : '')
  if (bytes.byteLength >= MIN_SECRET_BYTES) return bytes
  throw new ConfigurationError({
    message:
      `The key "${kid}" of \`secret\` has ${bytes.byteLength} bytes; it must have at least ${MIN_SECRET_BYTES}. ` +
      'Create one with `openssl rand -base64 32`, and keep it out of the code.',
  })
}

/** For a `Secret`. The message does not contain its value. */
export const secret: Check = (value) => {
  const isString = (one: unknown) => typeof one === 'string'
  return value === undefined || isString(value) || (isPlainData(value) && Object.values(value).every(isString))
    ? undefined
    : 'must be a string, or an object of strings by their ids'
}
