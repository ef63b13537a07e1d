import { ConfigurationError, isLoopback } from '@modelrun/kit'
import { type Clock, systemClock, wallNow } from '../shared/clock.ts'
import { fromBase64, randomId, toBase64Url } from '../shared/signing/base64.ts'
import { createKeyring, type Secret } from '../shared/signing/keyring.ts'

export interface CallbackTokenOptions {
  /** At least 32 bytes. Of several keys the first signs, and all verify. Numeric ids come last, the highest first. */
  secret: Secret
  /** URL whose origin and path the tokens are valid for: tokens of another URL with the same secret count as forged. */
  audience: string
  /** Allows http callback URLs on any host. Default `false`. */
  allowHttp?: boolean | undefined
  clock?: Clock | undefined
}

/** Creates and verifies the tokens in callback URLs. */
export type CallbackTokens = ReturnType<typeof createCallbackTokens>

const PARAMETER = 'modelrun_token'

/** How long a callback URL is valid. */
const TOKEN_LIFE_MS = 24 * 60 * 60 * 1_000

/** Allowed difference between the clocks of several machines. */
const SKEW_MS = 60_000

/** How long deliveries with an expired token are accepted. Finished jobs are remembered for longer. */
const HINT_MS = 6 * 24 * 60 * 60 * 1_000

/**
 * `v1.<kid>.<end in seconds, base 36>.<ref>.<mac>`. Only canonical base64url is accepted, so that each token has exactly one
 * spelling. At most 100 characters.
 */
const TOKEN =
  /^v1\.([A-Za-z0-9_-]{1,16})\.([1-9a-z][0-9a-z]{0,8})\.([A-Za-z0-9_-]{21}[AQgw])\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/

/**
 * Creates and verifies callback tokens. Deliveries are unsigned (section 6, rule 7), but the receiver chooses their URL: a token
 * in it, signed with HMAC-SHA256, proves that the receiver created the URL.
 *
 * @throws ConfigurationError for a short secret or a wrong key id
 */
export function createCallbackTokens(options: CallbackTokenOptions) {
  const { allowHttp, clock = systemClock } = options
  const keyring = createKeyring(options.secret)
  const { origin, pathname } = new URL(options.audience)

  function signedText(kid: string, ref: string, end: string): string {
    return ['modelrun callback', 'v1', kid, ref, end, origin + pathname].join('\n')
  }

  return {
    /**
     * Creates a URL for `webhook_url` with a token. `ref` is the random reference in the token.
     *
     * @param baseUrl https, or http on this machine (on any host with `allowHttp`). Its query is preserved
     * @throws ConfigurationError for a URL that the service cannot post to
     */
    create: async (baseUrl: string): Promise<{ url: string; ref: string }> => {
      const url = readCallbackUrl(baseUrl, 'The callback URL', allowHttp)
      const ref = randomId()
      const end = Math.ceil((wallNow(clock) + TOKEN_LIFE_MS) / 1_000).toString(36)
      const mac = toBase64Url(await keyring.sign(signedText(keyring.signer, ref, end)))
      url.search += `${url.search === '' ? '?' : '&'}${PARAMETER}=v1.${keyring.signer}.${end}.${ref}.${mac}`
      return { url: url.href, ref }
    },
    /**
     * Checks the token in a URL, or in a path with its query. Returns undefined without one, for a forged one, and six days after
     * the end of one. An expired one is late, and its job is polled.
     */
    verify: async (url: string | undefined): Promise<{ kind: 'genuine' | 'expired'; ref: string } | undefined> => {
      const [, kid = '', end = '', ref = '', mac = ''] = TOKEN.exec(findToken(url)) ?? []
      if (mac === '' || !(await keyring.verify(kid, fromBase64(mac), signedText(kid, ref, end)))) return undefined
      const expiredMs = wallNow(clock) - Number.parseInt(end, 36) * 1_000
      // The inbox may have forgotten the job by now, and would handle it again.
      if (expiredMs > HINT_MS) return undefined
      return { kind: expiredMs > SKEW_MS ? 'expired' : 'genuine', ref }
    },
  }
}

/** Finds the token in a URL. Returns an empty string, which is not a token, for a URL with none or two. */
function findToken(url = ''): string {
  const [token = '', ...others] = [...url.matchAll(/[?&]modelrun_token=([^&#]*)/g)].map(([, found]) => found)
  return others.length > 0 ? '' : token
}

/**
 * Parses a callback URL.
 *
 * @param named name of the URL at the start of an error message
 * @throws ConfigurationError for a URL that the service cannot post to, or that is not secure
 */
export function readCallbackUrl(text: string, named: string, allowHttp: boolean | undefined): URL {
  const problem = URL.canParse(text)
    ? problemOf(new URL(text), allowHttp)
    : `${JSON.stringify(text)} is not a URL: give a whole one, like https://app.example.com/hook`
  if (problem !== undefined) throw new ConfigurationError({ message: `${named} cannot be used: ${problem}.` })
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
    return `it must start with https://, not ${url.protocol}//${url.host}${advice}`
  }
  if (url.username !== '' || url.password !== '') {
    return 'it has a user or a password, which many senders do not accept'
  }
  return url.searchParams.has(PARAMETER) ? 'it has a token already: give it without `modelrun_token`' : undefined
}
