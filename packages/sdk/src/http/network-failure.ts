/**
 * Codes of failures that happen before the service can receive the request. `integration-tests/src/networks` produces those
 * that one machine can produce, with a service that counts its requests. Rejections by CORS or a Content-Security-Policy
 * are not here: a page gets the same message for every failure.
 */
const BEFORE_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  // A proxy made no tunnel to the service: undici's name, and that of Bun.
  'UND_ERR_PRX_CONN',
  'ERR_PROXY_TUNNEL',
  // Bun's names.
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** The system calls that come before a connection exists. */
const BEFORE_CONNECTION_SYSCALLS = new Set<string | undefined>(['connect', 'getaddrinfo'])

/** Deno has no codes. Its message names the phase and the problem. */
const DENO_CONNECT_FAILURE = /client error \(Connect\): (.+)/s

/** Failures whose codes also stand for failures after the request: code and message, with a space between them. */
const BEFORE_CONNECTION_LINES = [
  // Requests that `fetch` itself rejects, without a code: undici, Deno.
  /^ (bad port|unknown scheme)$/,
  /^ Fetch failed: Requests to port \d+ are blocked$/,
  // undici: a dispatcher of another version; a header that it does not send; a proxy that hands no http request on without
  // a password.
  /^UND_ERR_INVALID_ARG (invalid on\w+ method|invalid [\w-]+ header|Proxy Authentication Required \(407\))$/,
  // undici: a proxy rejects the tunnel.
  /^UND_ERR_ABORTED Proxy response \(\d+\)/,
  // Node and Bun: the server, or a proxy after CONNECT, hung up in the TLS handshake.
  /^ECONNRESET .*disconnected before secure TLS connection was established$/,
  /^EPROTO .*TLS handshake failed/,
]

/** The description of a failed connection. */
export interface NetworkFailure {
  /** The deepest code there is, e.g. `ECONNRESET`; else the deepest message. */
  reason: string
  /** True only when the request cannot have reached the service. */
  isBeforeConnection: boolean
  /** A sentence on what to do, where the failure says it. */
  hint: string | undefined
  /** A copy that holds name, message and code, and no request object: those print the API key. */
  cause: Error
}

/**
 * Reads the chain of causes of an error that `fetch` threw, which may be any value. `redact` removes the API key. It is
 * applied before an Error is created, because the stack copies the message.
 */
export function describeNetworkFailure(
  error: unknown,
  redact: (text: string) => string = (text) => text,
): NetworkFailure {
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
  cause.name = name ?? 'Error'
  if (code !== undefined) Object.assign(cause, { code })
  return {
    reason,
    isBeforeConnection: isBeforeConnection(significant),
    hint: hintFor(`${code ?? ''} ${message ?? reason}`),
    cause,
  }
}

/** Reads members instead of `instanceof`: under some test runners, Node's errors come from another realm. */
function chainOfCauses(error: unknown): unknown[] {
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

function isBeforeConnection(error: unknown): boolean {
  // An AggregateError holds one error for each IP address that was tried.
  const errors = fieldOf(error, 'errors')
  return Array.isArray(errors) && errors.length > 0 ? errors.every(isConnectFailure) : isConnectFailure(error)
}

function isConnectFailure(error: unknown): boolean {
  const [code = '', message = ''] = [textOf(error, 'code'), textOf(error, 'message')]
  return (
    BEFORE_CONNECTION.has(code) ||
    BEFORE_CONNECTION_SYSCALLS.has(textOf(error, 'syscall')) ||
    BEFORE_CONNECTION_LINES.some((line) => line.test(`${code} ${message}`)) ||
    DENO_CONNECT_FAILURE.test(message) ||
    // Deno without --allow-net.
    textOf(error, 'name') === 'NotCapable'
  )
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
    /wrong version number|InvalidContentType/,
    'The server speaks plain http: use http:// instead of https://. Behind a proxy, check the URL of the proxy too.',
  ],
  [
    /TLS handshake failed/,
    'Either the server speaks plain http: then its URL starts with http://. Or it asks for a client certificate.',
  ],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_)|UnknownIssuer/,
    'The certificate is from an authority that is not trusted here. For that of a company, set NODE_EXTRA_CA_CERTS (in Deno DENO_CERT) to its file.',
  ],
  [
    /Proxy response \(407\)|tunnel: 407|proxy authentication required/i,
    'The proxy asks for a user and a password: they go into its url, http://user:password@….',
  ],
  [
    /Proxy response \(\d|^ERR_PROXY_TUNNEL|^UND_ERR_PRX_CONN|unsuccessful tunnel/,
    'The proxy made no connection to the service: it does not allow it, or cannot reach it.',
  ],
  [
    /^UND_ERR_INVALID_ARG invalid on/,
    'The `dispatcher` is from another version of undici than `fetch`: pass the `fetch` of that undici as the option `fetch`.',
  ],
  [/^ bad port$|Requests to port \d/, '`fetch` never uses this port: let the service listen on another one.'],
]

/** A sentence on what to do about a failed connection, where it is known. `line` is its code, a space, its message. */
function hintFor(line: string): string | undefined {
  return HINTS.find(([pattern]) => pattern.test(line))?.[1]
}
