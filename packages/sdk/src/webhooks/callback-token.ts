import { needs } from '../arguments/checks.ts'
import { checkEach } from '../arguments/read-options.ts'
import { type Clock, systemClock } from '../clock.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { isLoopback } from '../hosts/loopback.ts'
import { fromBase64, toBase64Url } from '../signing/base64.ts'
import { createKeyring, type Secret } from '../signing/keyring.ts'

/** Options of {@link createCallbackTokens}. */
export interface CallbackTokenOptions {
  /** 32 bytes at least. Of several keys the first signs and all verify; of ids that are numbers, the highest signs. */
  secret: Secret
  /** Address whose origin and path the tokens are for: those of another inbox with the same secret are forged here. */
  audience: string
  /** Lets callback URLs be http at any host. Default `false`. */
  allowHttp?: boolean | undefined
  clock?: Clock | undefined
}

/**
 * What a token is found to be. An expired one was genuine: a late delivery, worth a poll of the job. Six days after its end
 * it counts as forged.
 */
type TokenCheck = { kind: 'genuine' | 'expired'; ref: string } | { kind: 'forged' | 'missing' }

/** Makes and checks the tokens that tell our callback addresses from guessed ones. */
export interface CallbackTokens {
  /**
   * A URL for `webhook_url` with a token, and the reference in it: random, new each time.
   *
   * @param baseUrl Where the service is to post: https, or http on this machine (any http with `allowHttp`). Its query is kept
   * @throws ConfigurationError for an address that cannot be posted to
   */
  create(baseUrl: string): Promise<{ url: string; ref: string }>
  /** Checks the token in an address, in a path with its query, or a token alone. */
  verify(url: string | undefined): Promise<TokenCheck>
}

const PARAMETER = 'modelrun_token'

/** How long a callback URL counts. */
export const TOKEN_LIFE_MS = 24 * 60 * 60 * 1_000

/** Clocks of several machines differ. */
const SKEW_MS = 60_000

/** How long a token is a hint after its end. Jobs that are done are remembered for longer. */
const HINT_MS = 6 * 24 * 60 * 60 * 1_000

/**
 * `v1.<kid>.<end in seconds, base 36>.<ref>.<mac>`. The last characters of ref and mac hold fewer bits than others:
 * the letters that a decoder would take for the same bytes are refused, so that a token has one form alone. It ends
 * within 100 characters: a longer text costs no more.
 */
const TOKEN =
  /^v1\.([A-Za-z0-9_-]{1,16})\.([1-9a-z][0-9a-z]{0,8})\.([A-Za-z0-9_-]{21}[AQgw])\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/

/**
 * Deliveries are unsigned (section 6, rule 7), but their address is ours to choose: a token in it, signed with
 * HMAC-SHA256, tells that the address came from us.
 *
 * @throws ConfigurationError for a short secret or a wrong key id
 */
export function createCallbackTokens(options: CallbackTokenOptions): CallbackTokens {
  const { allowHttp, clock = systemClock } = options
  const keyring = createKeyring(options.secret)
  const { origin, pathname } = new URL(options.audience)

  function signedText(kid: string, ref: string, end: string): string {
    return ['modelrun callback', 'v1', kid, ref, end, origin + pathname].join('\n')
  }

  return {
    create: async (baseUrl) => {
      const url = readCallbackUrl(baseUrl, { name: 'The callback URL', allowHttp })
      const ref = toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(16)))
      const end = Math.ceil((clock.now() + TOKEN_LIFE_MS) / 1_000).toString(36)
      const mac = toBase64Url(await keyring.sign(signedText(keyring.signer, ref, end)))
      url.search += `${url.search === '' ? '?' : '&'}${PARAMETER}=v1.${keyring.signer}.${end}.${ref}.${mac}`
      return { url: url.href, ref }
    },
    verify: async (url) => {
      const token = findToken(url)
      if (token === undefined) return { kind: 'missing' }
      const [, kid = '', end = '', ref = '', mac = ''] = TOKEN.exec(token) ?? []
      if (mac === '' || !(await keyring.verify(kid, fromBase64(mac), signedText(kid, ref, end)))) {
        return { kind: 'forged' }
      }
      const expiredMs = clock.now() - Number.parseInt(end, 36) * 1_000
      // Its job may be forgotten by now, and would be handled again.
      if (expiredMs > HINT_MS) return { kind: 'forged' }
      return { kind: expiredMs > SKEW_MS ? 'expired' : 'genuine', ref }
    },
  }
}

/**
 * Replaces the signature of a token in a text, so that the address can be logged: nothing can be posted with it then.
 *
 * @throws ConfigurationError for what is not a string
 */
export function redactCallbackUrl(url: string): string {
  checkEach('redactCallbackUrl', { url }, { url: needs('a string', (value) => typeof value === 'string') })
  return url.replace(/(\bmodelrun_token=)([^&#\s]*)/g, (_, name: string, token: string) => {
    const [, kid, end, ref] = TOKEN.exec(token) ?? []
    return `${name}${ref === undefined ? '' : `v1.${kid}.${end}.${ref}.`}[redacted]`
  })
}

/** Of two tokens in one address neither counts: an empty text, which is no token. */
function findToken(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return undefined
  if (!/[?/]/.test(url)) return url
  const found = [...url.matchAll(/[?&]modelrun_token=([^&#]*)/g)].map(([, token]) => token)
  return found.length > 1 ? '' : found[0]
}

interface CallbackUrlOptions {
  /** What the URL is to the caller, to begin a sentence with. */
  name: string
  allowHttp: boolean | undefined
}

/** @throws ConfigurationError for a URL that the service cannot post to, or whose token could be read on the way */
export function readCallbackUrl(text: string, { name, allowHttp }: CallbackUrlOptions): URL {
  const problem = URL.canParse(text)
    ? problemOf(new URL(text), allowHttp)
    : `${JSON.stringify(text)} is not a URL: give a whole one, like https://app.example.com/hook`
  if (problem !== undefined) throw new ConfigurationError({ message: `${name} cannot be used: ${problem}.` })
  const url = new URL(text)
  url.hash = ''
  return url
}

function problemOf(url: URL, allowHttp: boolean | undefined): string | undefined {
  const isHttp = url.protocol === 'http:'
  if (isHttp ? allowHttp !== true && !isLoopback(url.hostname) : url.protocol !== 'https:') {
    const advice = isHttp
      ? ', or its token can be read on the way to another machine. In a network of your own, such as Docker Compose, pass `allowHttp: true` to `createInbox`'
      : ''
    return `it must begin with https://, not ${url.protocol}//${url.host}${advice}`
  }
  if (url.username !== '' || url.password !== '') {
    return 'it has a user or a password, which many senders do not accept'
  }
  return url.searchParams.has(PARAMETER) ? 'it has a token already: give it without `modelrun_token`' : undefined
}
