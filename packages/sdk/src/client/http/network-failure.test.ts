import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printedForms } from '../../../test/printed-forms.ts'
import { API_KEY } from '../../../test/test-client.ts'
import { chainOfCauses, describeNetworkFailure, isUnsent } from './network-failure.ts'

const nodeError = (code: string, more: Record<string, string> = {}) =>
  Object.assign(new Error(`${code} happened`), { code, ...more })

const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause })

const URL_OF_RUN = 'http://127.0.0.1:1/v1/models/m/run'
const DENO_CONNECT_ERROR = `error sending request for url (${URL_OF_RUN}): client error (Connect): tcp connect error: Connection refused (os error 111)`

describe('describeNetworkFailure', () => {
  const chain = (code: string, cause: unknown) => fetchFailed(Object.assign(nodeError(code), { cause }))
  const circle = new Error('round')
  circle.cause = circle
  const foreign: unknown = runInNewContext(
    `new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })`,
  )

  test.each([
    [
      'a CONNECT that failed for what it is, and not for a request',
      chain('UND_ERR_PRX_CONN', nodeError('UND_ERR_SOCKET')),
      'UND_ERR_PRX_CONN',
    ],
    [
      "the last part of Deno's message",
      new TypeError(DENO_CONNECT_ERROR),
      'tcp connect error: Connection refused (os error 111)',
    ],
    ['the deepest code of the chain', chain('OUTER', nodeError('INNER')), 'INNER'],
    ['the only code of the chain', chain('OUTER', new Error('no code')), 'OUTER'],
    ['the deepest message', fetchFailed(new Error('other side closed')), 'other side closed'],
    ['a string', 'just text', 'just text'],
    ['a message without a cause', new Error('the last', { cause: null }), 'the last'],
    ['an error of another realm, as test runners make them', foreign, 'ECONNREFUSED'],
    ['a chain of causes that goes in a circle', circle, 'round'],
    ['getters that throw', new Proxy({}, { get: () => expect.unreachable() }), 'unknown failure'],
  ])('takes for the reason %s', (_, error, reason) => {
    expect(describeNetworkFailure(error).reason).toBe(reason)
  })

  test.each<[unknown, string | undefined]>([
    [nodeError('ERR_SSL_WRONG_VERSION_NUMBER', { message: 'ssl3:wrong version number' }), 'speak plain http'],
    [new Error('client error (Connect): received corrupt message of type InvalidContentType'), 'speak plain http'],
    [nodeError('EPROTO', { message: 'EPROTO: The TLS handshake failed.' }), 'speak plain http'],
    [new Error('client error (Connect): invalid peer certificate: UnknownIssuer'), 'DENO_CERT'],
    [nodeError('ERR_PROXY_TUNNEL', { message: 'Proxy refused to open a tunnel: 407 Auth' }), 'user:password'],
    [new Error('client error (Connect): proxy authentication required'), 'user:password'],
    [nodeError('ERR_PROXY_TUNNEL', { message: 'Proxy refused to open a tunnel: 403 No' }), 'made no connection'],
    [new Error('client error (Connect): unsuccessful tunnel'), 'made no connection'],
    [nodeError('UND_ERR_ABORTED', { message: 'Proxy response (503) !== 200' }), 'made no connection'],
    [nodeError('EIO', { message: 'as before: ERR_PROXY_TUNNEL, UND_ERR_PRX_CONN' }), undefined],
    [nodeError('EIO', { message: 'it is not UNABLE_TO_GET_ISSUER_CERT' }), undefined],
    [new Error(''), '(407)'],
    [nodeError('UND_ERR_INVALID_ARG', { message: 'invalid onRequestStart method' }), 'another version of undici'],
    [nodeError('EIO', { message: 'as before: UND_ERR_INVALID_ARG invalid onError method' }), undefined],
    [nodeError('ECONNREFUSED'), undefined],
    [nodeError('ECONNRESET'), undefined],
  ])('says what to do about %s', (error, words) => {
    const { hint } = describeNetworkFailure(fetchFailed(error))
    expect(hint ?? 'nothing').toContain(words ?? 'nothing')
  })

  test.each([undefined, '', Symbol('special'), Object.create(null), () => {}, { code: 42, message: '' }])(
    'takes the strange value %s for an unknown failure, whose cause has nothing else',
    (value) => {
      const { reason, cause } = describeNetworkFailure(value)
      expect([reason, cause.name, Object.keys(cause)]).toEqual(['unknown failure', 'Error', ['name']])
    },
  )

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

describe("isUnsent takes the word of the platform's own fetch", () => {
  const isUnsentRun = (error: unknown) => isUnsent(chainOfCauses(error), URL_OF_RUN)

  // Codes and texts as Node 24, undici 8 and Deno 2.9 gave them while the server got nothing.
  test.each([
    fetchFailed(new Error('bad port')),
    fetchFailed(new Error('unknown scheme')),
    fetchFailed(nodeError('UND_ERR_INVALID_ARG', { message: 'invalid onRequestStart method' })),
    fetchFailed(nodeError('UND_ERR_INVALID_ARG', { message: 'invalid onError method' })),
    fetchFailed(nodeError('UND_ERR_INVALID_ARG', { message: 'invalid transfer-encoding header' })),
    new TypeError('Fetch failed: Requests to port 6666 are blocked'),
    new TypeError(DENO_CONNECT_ERROR),
    Object.assign(new Error('Requires net access to "127.0.0.1:1", run again with the --allow-net flag'), {
      name: 'NotCapable',
    }),
  ])('for %s', (error) => {
    expect(isUnsentRun(error)).toBe(true)
  })

  test.each([
    // Node's errors name no host: a function around `fetch` may have thrown them for something else.
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'].map((code) =>
      nodeError(code, { syscall: 'connect', address: '127.0.0.1' }),
    ),
    // Another url.
    new TypeError(DENO_CONNECT_ERROR.replace('/run', '/other')),
    Object.assign(new Error('Requires net access to "127.0.0.1:12"'), { name: 'NotCapable' }),
    // After the connection.
    new TypeError(`error sending request for url (${URL_OF_RUN}): client error (SendRequest): reset`),
    // Words of others.
    new Error('bad port, said the service'),
    new Error('no access to "127.0.0.1:1"'),
    new Error('It said: Fetch failed: Requests to port 6666 are blocked'),
    new Error('Fetch failed: Requests to port 6666 are blocked for an hour'),
    new Error('a wrapper said: UND_ERR_INVALID_ARG invalid onError method'),
    nodeError('UND_ERR_INVALID_ARG', {
      message: 'Redirect loop detected. Cannot redirect to https://api.example.com.',
    }),
    nodeError('UND_ERR_INVALID_ARG', { message: 'invalid onError method of the response' }),
    nodeError('ECONNRESET', { message: 'bad port' }),
    new Error('Failed to fetch'),
    undefined,
  ])('not for %s', (error) => {
    expect(isUnsentRun(fetchFailed(error))).toBe(false)
  })
})

test('describes a failure where the built-ins are frozen', () => {
  const name = Object.getOwnPropertyDescriptor(Error.prototype, 'name') ?? {}
  Object.defineProperty(Error.prototype, 'name', { writable: false })
  try {
    expect(describeNetworkFailure(new TypeError('fetch failed')).cause).toMatchObject({ message: 'fetch failed' })
  } finally {
    Object.defineProperty(Error.prototype, 'name', name)
  }
})
