/** Codes of failures that happen before the connection exists: the request cannot have been received. */
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
  // Bun's names.
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** The system calls that come before a connection exists. */
const BEFORE_CONNECTION_SYSCALLS = new Set(['connect', 'getaddrinfo'])

/** What is known of a failed connection. */
export interface NetworkFailure {
  /** The deepest code there is, e.g. `ECONNRESET`; else the deepest message. */
  reason: string
  /** True only when the request cannot have reached the service. */
  isBeforeConnection: boolean
  /** A copy that holds name, message and code, and no request object: those print the API key. */
  cause: Error
}

/** Reads the chain of causes of an error that `fetch` threw. */
export function describeNetworkFailure(error: unknown): NetworkFailure {
  const deepest = deepestCause(error)
  const reason = textOf(deepest, 'code') ?? textOf(deepest, 'message') ?? String(deepest)
  const cause = new Error(textOf(deepest, 'message') || reason)
  cause.name = textOf(deepest, 'name') ?? 'Error'
  return { reason, isBeforeConnection: isBeforeConnection(deepest), cause: Object.assign(cause, codeOf(deepest)) }
}

function deepestCause(error: unknown): unknown {
  let current = error
  for (let depth = 0; depth < 10; depth++) {
    if (!(current instanceof Error) || current.cause === undefined || current.cause === null) break
    current = current.cause
  }
  return current
}

function isBeforeConnection(error: unknown): boolean {
  // One error for each address that was tried.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isBeforeConnection)
  return (
    BEFORE_CONNECTION.has(textOf(error, 'code') ?? '') || BEFORE_CONNECTION_SYSCALLS.has(textOf(error, 'syscall') ?? '')
  )
}

function codeOf(error: unknown): { code?: string } {
  const code = textOf(error, 'code')
  return code === undefined ? {} : { code }
}

function textOf(error: unknown, key: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const value: unknown = Reflect.get(error, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}
