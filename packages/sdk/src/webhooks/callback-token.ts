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
  /** Signed with the rest, for instance a tenant: tokens of another context are forged here. Default: none. */
  context?: string | undefined
  /** Lets callback URLs be http at any host. Default `false`. */
  allowHttp?: boolean | undefined
  clock?: Clock | undefined
}

interface MintOptions {
  /** Where the service is to post: https, or http on this machine (any http with `allowHttp`). Its query is kept. */
  baseUrl: string
  /** How long the token counts, in milliseconds. Default 24 h. */
  lifeMs?: number | undefined
}

/**
 * What a token is found to be. An expired one was genuine: a late delivery, worth a poll of the job. Six days after its end
 * it counts as forged.
 */
type TokenCheck = { kind: 'genuine' | 'expired'; ref: string } | { kind: 'forged' | 'missing' }

/** Makes and checks the tokens that tell our callback addresses from guessed ones. */
export interface CallbackTokens {
  /**
   * An address for `webhook_url` with a token, and the reference in it: random, new each time.
   *
   * @throws ConfigurationError for an address that cannot be posted to
   */
  mint(options: MintOptions): Promise<{ url: string; ref: string }>
  /** Checks the token in an address, in a path with its query, or a token alone. */
  verify(address: string | undefined): Promise<TokenCheck>
}

const PARAMETER = 'modelrun_token'
const DEFAULT_LIFE_MS = 24 * 60 * 60 * 1_000
/**
 * With the default life, a token is not usable longer than an inbox remembers a handled job (7 days): later its url would
 * run the handler again.
 */
const EXPIRED_MS = 6 * 24 * 60 * 60 * 1_000
/** Clocks of several machines differ. */
const SKEW_MS = 60_000

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
 * @throws ConfigurationError for a short secret, a wrong key id, or an audience that is no address
 */
export function createCallbackTokens(options: CallbackTokenOptions): CallbackTokens {
  const { context, allowHttp, clock = systemClock } = options
  const keyring = createKeyring(options.secret)
  const audience = readAudience(options.audience)

  function signedText(kid: string, ref: string, end: string): string {
    const lines = ['modelrun callback', 'v1', kid, ref, end, audience]
    return [...lines, ...(context === undefined ? [] : [context])].join('\n')
  }

  return {
    mint: async ({ baseUrl, lifeMs = DEFAULT_LIFE_MS }) => {
      const url = readCallbackUrl(baseUrl, { name: 'The callback URL', allowHttp })
      if (!(lifeMs > 0 && lifeMs < Number.MAX_SAFE_INTEGER)) {
        throw new ConfigurationError({ message: `\`lifeMs\` must be a number of milliseconds above 0, not ${lifeMs}.` })
      }
      const ref = toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(16)))
      const end = Math.ceil((clock.now() + lifeMs) / 1_000).toString(36)
      const mac = toBase64Url(await keyring.sign(signedText(keyring.signer, ref, end)))
      url.search += `${url.search === '' ? '?' : '&'}${PARAMETER}=v1.${keyring.signer}.${end}.${ref}.${mac}`
      return { url: url.href, ref }
    },
    verify: async (address) => {
      const token = findToken(address)
      if (token === undefined) return { kind: 'missing' }
      const [, kid = '', end = '', ref = '', mac = ''] = TOKEN.exec(token) ?? []
      if (mac === '' || !(await keyring.verify(kid, fromBase64(mac), signedText(kid, ref, end)))) {
        return { kind: 'forged' }
      }
      const endedMs = clock.now() - Number.parseInt(end, 36) * 1_000
      if (endedMs > EXPIRED_MS) return { kind: 'forged' }
      return { kind: endedMs > SKEW_MS ? 'expired' : 'genuine', ref }
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
function findToken(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined
  if (!/[?/]/.test(address)) return address
  const found = [...address.matchAll(/[?&]modelrun_token=([^&#]*)/g)].map(([, token]) => token)
  return found.length > 1 ? '' : found[0]
}

function readAudience(audience: string): string {
  if (!URL.canParse(audience)) throw notAnAddress(audience)
  const { origin, pathname } = new URL(audience)
  return origin + pathname
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

function notAnAddress(text: string): ConfigurationError {
  return new ConfigurationError({
    message: `The callback address ${JSON.stringify(text)} is none: give a whole one, like https://app.example.com/hook.`,
  })
}
