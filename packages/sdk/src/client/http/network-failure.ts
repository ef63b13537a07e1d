/** Deno has no codes. Its message names the url, the phase and the problem. */
const DENO_CONNECT_FAILURE = /client error \(Connect\): (.+)/s

/** Requests that `fetch` itself rejects: code and message, with a space between them. */
const REJECTED_BY_FETCH = [
  // Without a code: undici, Deno.
  /^ (bad port|unknown scheme)$/,
  /^ Fetch failed: Requests to port \d+ are blocked$/,
  // undici: a dispatcher of another version; a header that it does not send.
  /^UND_ERR_INVALID_ARG invalid (on\w+ method|[\w-]+ header)$/,
]

/**
 * Reads the chain of causes of an error that `fetch` threw, which may be any value. `redact` removes the API key. It is
 * applied before an Error is created, because the stack copies the message.
 */
export function describeNetworkFailure(error: unknown, redact = (text: string) => text) {
  const chain = chainOfCauses(error)
  const significant = chain.findLast(isTunnelFailure) ?? chain.findLast(hasCode) ?? chain.at(-1)
  const [code, message, name] = ['code', 'message', 'name'].map((key) => {
    const text = textOf(significant, key)
    return text === undefined ? undefined : redact(text)
  })
  const reason =
    code ??
    DENO_CONNECT_FAILURE.exec(message ?? '')?.[1] ??
    message ??
    (typeof significant === 'string' && significant !== '' ? redact(significant) : 'unknown failure')
  const cause = new Error(message ?? reason)
  // Not assigned: the built-ins may be frozen.
  Object.defineProperty(cause, 'name', { value: name ?? 'Error', enumerable: true })
  if (code !== undefined) Object.assign(cause, { code })
  return {
    /** The deepest code there is, e.g. `ECONNRESET`; else the deepest message. */
    reason,
    /** A sentence on what to do, where the failure says it. */
    hint: HINTS.find(([pattern]) => pattern.test(`${code ?? ''} ${message ?? reason}`))?.[1],
    /** A copy that holds name, message and code, and no request object: those print the API key. */
    cause,
  }
}

/** An error with its causes. Reads members instead of `instanceof`: under some test runners, Node's errors come from another realm. */
export function chainOfCauses(error: unknown): unknown[] {
  const chain = [error]
  while (chain.length < 10) {
    const cause = fieldOf(chain.at(-1), 'cause')
    if (cause === undefined || cause === null) break
    chain.push(cause)
  }
  return chain
}

function hasCode(error: unknown): boolean {
  return textOf(error, 'code') !== undefined
}

/** Its cause is the failure of the CONNECT request, which looks like the failure of the request itself. */
function isTunnelFailure(error: unknown): boolean {
  return textOf(error, 'code') === 'UND_ERR_PRX_CONN'
}

/**
 * True when the error of the platform's own `fetch` says that it sent nothing to a url. Not for another `fetch`, which may have
 * thrown the error of a second request.
 */
export function isUnsent(chain: readonly unknown[], url: string): boolean {
  const { hostname, port, protocol } = new URL(url)
  const defaultPort = protocol === 'https:' ? '443' : '80'
  return chain.some((error) => {
    const [code = '', message = ''] = [textOf(error, 'code'), textOf(error, 'message')]
    const line = `${code} ${message}`
    return (
      REJECTED_BY_FETCH.some((pattern) => pattern.test(line)) ||
      message.includes(` for url (${url}): client error (Connect): `) ||
      // Deno without --allow-net.
      (textOf(error, 'name') === 'NotCapable' && message.includes(`"${hostname}:${port || defaultPort}"`))
    )
  })
}

/** True for the error of a framework that steers the rendering of a page, and must get it back: Next.js marks it by such a digest. */
export function isSteering(error: unknown): boolean {
  return /^[A-Z]+_[A-Z_]+/.test(textOf(error, 'digest') ?? '')
}

function textOf(error: unknown, key: string): string | undefined {
  const value = fieldOf(error, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function fieldOf(value: unknown, key: string): unknown {
  try {
    // It throws for what is not an object.
    return Reflect.get(value as object, key)
  } catch {
    return undefined
  }
}

/** What to do about a failure, by its code and its message with a space between them. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|InvalidContentType|TLS handshake failed/,
    'The server, or the proxy, seems to speak plain http: then its URL starts with http://.',
  ],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_)|UnknownIssuer/,
    'The certificate is from an authority that is not trusted here. For that of a company, set NODE_EXTRA_CA_CERTS (in Deno DENO_CERT) to its file.',
  ],
  [
    /Proxy response \(|^ERR_PROXY_TUNNEL|^UND_ERR_PRX_CONN|unsuccessful tunnel|proxy authentication required|^ unknown failure$/i,
    'The proxy made no connection to the service. If it asks for a user and a password (407), they go into its url, http://user:password@….',
  ],
  [
    /^UND_ERR_INVALID_ARG invalid on/,
    'The `dispatcher` is from another version of undici than `fetch`: pass the `fetch` of that undici as the option `fetch`.',
  ],
]
