import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printedForms } from '../testing/printed-forms.ts'
import { API_KEY } from '../testing/test-client.ts'
import { describeNetworkFailure } from './network-failure.ts'

const nodeError = (code: string, more: Record<string, string> = {}) =>
  Object.assign(new Error(`${code} happened`), { code, ...more })

const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause })

describe('describeNetworkFailure', () => {
  test.each([
    nodeError('ETIMEDOUT', { syscall: 'connect' }),
    nodeError('EHOSTUNREACH', { syscall: 'connect' }),
    nodeError('EMFILE', { syscall: 'getaddrinfo' }),
    // Fetch functions besides that of Node do not always name the system call.
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'UND_ERR_CONNECT_TIMEOUT'].map((code) => nodeError(code)),
    ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'].map(
      (code) => nodeError(code),
    ),
    ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].map(
      (code) => nodeError(code),
    ),
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'].map(
      (code) => nodeError(code),
    ),
    ...['ERR_PROXY_TUNNEL', 'UND_ERR_PRX_CONN', 'ConnectionRefused', 'FailedToOpenSocket'].map((code) =>
      nodeError(code),
    ),
  ])('knows that $code comes before the connection', (error) => {
    const found = describeNetworkFailure(fetchFailed(error))
    expect(found).toMatchObject({ reason: error.code, isBeforeConnection: true })
  })

  test.each([
    nodeError('ECONNRESET', { syscall: 'read' }),
    nodeError('EPIPE', { syscall: 'write' }),
    nodeError('ETIMEDOUT', { syscall: 'read' }),
    nodeError('UND_ERR_SOCKET'),
    nodeError('UND_ERR_HEADERS_TIMEOUT'),
    nodeError('HPE_INVALID_CONSTANT'),
    nodeError('UND_ERR_INVALID_ARG'),
    nodeError('UND_ERR_ABORTED'),
    nodeError('EPROTO'),
    nodeError('ERR_INVALID_URL'),
  ])('knows that $code may come after the service got the request', (error) => {
    const found = describeNetworkFailure(fetchFailed(error))
    expect(found).toMatchObject({ reason: error.code, isBeforeConnection: false })
  })

  // Codes and texts as Node 24, undici 8, Bun 1.4 and Deno 2.9 gave them while the server got nothing.
  test.each([
    [undefined, 'bad port'],
    [undefined, 'unknown scheme'],
    [undefined, 'Fetch failed: Requests to port 6666 are blocked'],
    ['ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'],
    ['EPROTO', 'EPROTO: The TLS handshake failed. Does the server speak TLS on this port?'],
    ['UND_ERR_INVALID_ARG', 'invalid onRequestStart method'],
    ['UND_ERR_INVALID_ARG', 'invalid onError method'],
    ['UND_ERR_INVALID_ARG', 'invalid transfer-encoding header'],
    ['UND_ERR_INVALID_ARG', 'Proxy Authentication Required (407)'],
    ['UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling'],
  ])('knows that %s "%s" comes before the connection', (code, message) => {
    const error = Object.assign(new Error(message), { code })
    expect(describeNetworkFailure(fetchFailed(error)).isBeforeConnection).toBe(true)
  })

  test.each<[string | undefined, string]>([
    ['UND_ERR_INVALID_ARG', 'Redirect loop detected. Cannot redirect to https://api.example.com.'],
    ['UND_ERR_ABORTED', 'Request aborted'],
    ['ECONNRESET', 'bad port'],
    [undefined, 'bad port, said the service'],
    [undefined, 'unknown scheme of the response'],
    [undefined, 'It said: Fetch failed: Requests to port 6666 are blocked'],
    [undefined, 'Fetch failed: Requests to port 6666 are blocked for an hour'],
    ['ECONNRESET', 'Client network socket disconnected before secure TLS connection was established, or after it'],
    ['UND_ERR_SOCKET', 'Client network socket disconnected before secure TLS connection was established'],
    ['EPROTO', 'EPROTO: a TLS record of the response is wrong'],
    ['ECONNRESET', 'The TLS handshake failed'],
    ['UND_ERR_INVALID_ARG', 'it got an invalid onError method'],
    ['UND_ERR_INVALID_ARG', 'invalid onError method of the response'],
    ['UND_ERR_INVALID_ARG', 'invalid on method'],
    ['UND_ERR_INVALID_ARG', 'invalid  header'],
    [undefined, 'a middleware said: UND_ERR_INVALID_ARG invalid onError method'],
    [undefined, 'a middleware said: UND_ERR_ABORTED Proxy response (407)'],
    [undefined, 'a middleware said: ECONNRESET socket disconnected before secure TLS connection was established'],
    [undefined, 'a middleware said: EPROTO TLS handshake failed'],
    ['UND_ERR_ABORTED', 'the Proxy response (407) was cut'],
    ['UND_ERR_ABORTED', 'Proxy response (none)'],
    [undefined, 'The service said: client error (Connect): '],
    [undefined, 'invalid content-length header'],
    [undefined, 'Failed to fetch'],
    [undefined, 'Only absolute URLs are supported by this service'],
  ])('knows that %s "%s" may come after it', (code, message) => {
    const error = Object.assign(new Error(message), { code })
    expect(describeNetworkFailure(fetchFailed(error)).isBeforeConnection).toBe(false)
  })

  test('takes a CONNECT that failed for what it is, and not for a request', () => {
    const closed = nodeError('UND_ERR_SOCKET')
    const tunnel = Object.assign(nodeError('UND_ERR_PRX_CONN'), { cause: closed })
    expect(describeNetworkFailure(fetchFailed(tunnel))).toMatchObject({
      reason: 'UND_ERR_PRX_CONN',
      isBeforeConnection: true,
    })
  })

  test.each([
    [nodeError('ERR_SSL_WRONG_VERSION_NUMBER', { message: 'ssl3:wrong version number' }), 'speaks plain http'],
    [new Error('client error (Connect): received corrupt message of type InvalidContentType'), 'speaks plain http'],
    [nodeError('EPROTO', { message: 'EPROTO: The TLS handshake failed.' }), 'speaks plain http'],
    [new Error('client error (Connect): invalid peer certificate: UnknownIssuer'), 'DENO_CERT'],
    [nodeError('ERR_PROXY_TUNNEL', { message: 'Proxy refused to open a tunnel: 407 Auth' }), 'user:password'],
    [new Error('client error (Connect): proxy authentication required'), 'user:password'],
    [nodeError('ERR_PROXY_TUNNEL', { message: 'Proxy refused to open a tunnel: 403 No' }), 'made no connection'],
    [new Error('client error (Connect): unsuccessful tunnel'), 'made no connection'],
    [nodeError('UND_ERR_ABORTED', { message: 'Proxy response (503) !== 200' }), 'made no connection'],
    [nodeError('EIO', { message: 'as before: ERR_PROXY_TUNNEL, UND_ERR_PRX_CONN' }), undefined],
    [nodeError('EIO', { message: 'it is not UNABLE_TO_GET_ISSUER_CERT' }), undefined],
    [new TypeError('bad port'), 'never uses this port'],
    [new TypeError('Fetch failed: Requests to port 6666 are blocked'), 'never uses this port'],
    [new TypeError('bad port of another service'), undefined],
    [new TypeError('it has a bad port'), undefined],
    [nodeError('UND_ERR_INVALID_ARG', { message: 'invalid onRequestStart method' }), 'another version of undici'],
    [nodeError('EIO', { message: 'as before: UND_ERR_INVALID_ARG invalid onError method' }), undefined],
    [nodeError('ECONNREFUSED'), undefined],
    [nodeError('ECONNRESET'), undefined],
  ])('says what to do about %s', (error, words) => {
    const { hint } = describeNetworkFailure(fetchFailed(error))
    expect(hint ?? 'nothing').toContain(words ?? 'nothing')
  })

  test("knows Deno's failures before the connection by their text", () => {
    const error = new TypeError(
      'error sending request for url (http://127.0.0.1:1/): client error (Connect): tcp connect error: Connection refused (os error 111)',
    )
    expect(describeNetworkFailure(error)).toMatchObject({
      reason: 'tcp connect error: Connection refused (os error 111)',
      isBeforeConnection: true,
    })
    const later = new TypeError(
      'error sending request for url (http://127.0.0.1:1/): client error (SendRequest): reset',
    )
    expect(describeNetworkFailure(later).isBeforeConnection).toBe(false)
  })

  test('knows that a request which Deno has no permission for was not sent', () => {
    const message = 'Requires net access to "127.0.0.1:1", run again with the --allow-net flag'
    const error = Object.assign(new Error(message), { name: 'NotCapable' })
    expect(describeNetworkFailure(error)).toMatchObject({ reason: message, isBeforeConnection: true })
  })

  test('takes several addresses as one failure: before the connection only when each one was', () => {
    const refused = nodeError('ECONNREFUSED', { syscall: 'connect' })
    const both = Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' })
    expect(describeNetworkFailure(fetchFailed(both))).toMatchObject({
      reason: 'ECONNREFUSED',
      isBeforeConnection: true,
    })
    const mixed = Object.assign(new AggregateError([refused, nodeError('ECONNRESET')]), { code: 'ECONNREFUSED' })
    expect(describeNetworkFailure(fetchFailed(mixed)).isBeforeConnection).toBe(false)
    const none = Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' })
    expect(describeNetworkFailure(fetchFailed(none)).isBeforeConnection).toBe(false)
  })

  test('goes by the deepest code of the chain', () => {
    const chain = fetchFailed(Object.assign(nodeError('OUTER'), { cause: nodeError('INNER') }))
    expect(describeNetworkFailure(chain).reason).toBe('INNER')
    const bare = fetchFailed(Object.assign(nodeError('OUTER'), { cause: new Error('no code') }))
    expect(describeNetworkFailure(bare).reason).toBe('OUTER')
  })

  test('falls back to the deepest message', () => {
    expect(describeNetworkFailure(fetchFailed(new Error('other side closed'))).reason).toBe('other side closed')
    expect(describeNetworkFailure('just text').reason).toBe('just text')
    expect(describeNetworkFailure(new Error('the last', { cause: null })).reason).toBe('the last')
  })

  test('reads errors of another realm, as test runners make them', () => {
    const error: unknown = runInNewContext(
      `new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })`,
    )
    expect(error instanceof Error).toBe(false)
    expect(describeNetworkFailure(error)).toMatchObject({ reason: 'ECONNREFUSED', isBeforeConnection: true })
  })

  test('ends at a chain of causes that goes in a circle', () => {
    const error = new Error('round')
    error.cause = error
    expect(describeNetworkFailure(error).reason).toBe('round')
  })

  test.each([
    undefined,
    null,
    0,
    '',
    Symbol('special'),
    {},
    Object.create(null),
    [],
    () => {},
    { code: 42, message: '' },
  ])('takes the strange value %s for an unknown failure that may have reached the service', (value) => {
    const found = describeNetworkFailure(value)
    expect(found).toMatchObject({ reason: 'unknown failure', isBeforeConnection: false })
    expect(found.cause).toBeInstanceOf(Error)
    expect([found.cause.name, Object.keys(found.cause)]).toEqual(['Error', ['name']])
  })

  test('survives getters that throw', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    )
    expect(describeNetworkFailure(hostile).reason).toBe('unknown failure')
  })

  test('never throws, whatever was thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
        const { reason, cause } = describeNetworkFailure(fetchFailed(value))
        return reason !== '' && cause instanceof Error
      }),
    )
  })

  test('copies name, message and code, and nothing else: a request would print the API key', () => {
    const request = new Request('https://api.example.com', { headers: { authorization: `Bearer ${API_KEY}` } })
    const { cause } = describeNetworkFailure(Object.assign(nodeError('ECONNRESET'), { name: 'NetError', request }))
    expect(cause).toMatchObject({ name: 'NetError', message: 'ECONNRESET happened', code: 'ECONNRESET' })
    expect(Object.keys(cause).sort()).toEqual(['code', 'name'])
  })

  test('redacts before it makes an error, because that keeps its first message in its stack', () => {
    const error = fetchFailed(new Error(`the header Bearer ${API_KEY} is bad`))
    const found = describeNetworkFailure(error, (text) => text.replaceAll(API_KEY, '[redacted]'))
    expect(found.reason).toBe('the header Bearer [redacted] is bad')
    expect(printedForms(found)).not.toContain(API_KEY)
  })
})
