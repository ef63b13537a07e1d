import type { TlsOptions } from 'node:tls'
import type { ModelRunOptions } from 'modelrun'
import { Agent, ProxyAgent, fetch as undiciFetch } from 'undici'
import { findClosedPort } from '../../packages/integration-tests/src/hostile-service/hostile-server.ts'
import {
  AUTHORITY,
  identity,
  type Listener,
  type ProxyOptions,
  startProxy,
  startSocketServer,
  startTls,
} from '../../packages/integration-tests/src/networks/test-network.ts'

/** Where a failure is made: the service, and listeners that are closed after it. */
export interface Ground {
  /** A plain http service that counts what reaches it. */
  serviceUrl: string
  opened: Listener[]
}

/** A way in which a network fails, and what the client must make of it. */
interface Failure {
  name: string
  options(ground: Ground): Promise<ModelRunOptions>
  /** What the attempt gives as its reason. */
  reason: string | RegExp
  submission: 'not_sent' | 'rejected' | 'unknown'
  /** Words of the hint. */
  hint?: string
}

type Expected = Omit<Failure, 'name' | 'options'>

const fail = (name: string, options: Failure['options'], expected: Expected): Failure => ({
  name,
  options,
  ...expected,
})

const notSent = (reason: Failure['reason'], hint?: string): Expected => ({
  reason,
  submission: 'not_sent',
  ...(hint === undefined ? {} : { hint }),
})
const unknown = (reason: Failure['reason']): Expected => ({ reason, submission: 'unknown' })

/** Keeps a listener to be closed, and gives its url. */
async function open<L extends Listener>(ground: Ground, starting: Promise<L>): Promise<L> {
  const listener = await starting
  ground.opened.push(listener)
  return listener
}

const secure =
  (options: TlsOptions = {}) =>
  async (ground: Ground) => {
    const { url } = await open(ground, startTls(ground.serviceUrl, options))
    return { baseUrl: url }
  }

/** With an authority that is trusted. */
const trusted = (options: TlsOptions) => async (ground: Ground) => ({
  ...(await secure(options)(ground)),
  fetchOptions: { dispatcher: new Agent({ connect: { ca: AUTHORITY } }) },
})

const overProxy =
  (options: ProxyOptions, agent: Partial<ProxyAgent.Options> = {}) =>
  async (ground: Ground) => {
    const { url: baseUrl } = await open(ground, startTls(ground.serviceUrl))
    const { url } = await open(ground, startProxy(options))
    const uri = url.replace('user:secret@', '')
    return { baseUrl, fetchOptions: { dispatcher: new ProxyAgent({ uri, requestTls: { ca: AUTHORITY }, ...agent }) } }
  }

/** An http service, whose requests undici 8 gives to the proxy itself. */
const plainOverProxy = (options: ProxyOptions) => async (ground: Ground) => {
  const { url } = await open(ground, startProxy(options))
  return { baseUrl: ground.serviceUrl, fetchOptions: { dispatcher: new ProxyAgent(url.replace('user:secret@', '')) } }
}

const TLS_1_0: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }
const PLAIN_HTTP = 'seems to speak plain http'
const NOT_TRUSTED = 'NODE_EXTRA_CA_CERTS'
const NO_TUNNEL = 'The proxy made no connection to the service'

/** What Node's own `fetch` and that of undici do alike. */
const OF_BOTH: readonly Failure[] = [
  fail('nothing listens', async () => ({ baseUrl: await findClosedPort() }), notSent('ECONNREFUSED')),
  fail('the name is not known', async () => ({ baseUrl: 'http://modelrun.invalid' }), notSent(/ENOTFOUND|EAI_AGAIN/)),
  fail(
    'https to an http port',
    async (ground) => ({ baseUrl: (await open(ground, startProxy())).url.replace('http:', 'https:') }),
    notSent('ERR_SSL_WRONG_VERSION_NUMBER', PLAIN_HTTP),
  ),
  fail(
    'the other side hangs up in the TLS handshake',
    async (ground) => {
      const hangUp = startSocketServer((socket) => socket.once('data', () => socket.end()), 'https')
      return { baseUrl: (await open(ground, hangUp)).url }
    },
    notSent('ECONNRESET'),
  ),
  fail(
    'the other side resets in the TLS handshake',
    async (ground) => {
      const reset = startSocketServer((socket) => socket.once('data', () => socket.resetAndDestroy()), 'https')
      return { baseUrl: (await open(ground, reset)).url }
    },
    notSent('ECONNRESET'),
  ),
  // A service that got the request could have hung up the same way.
  fail(
    'http to an https port',
    async (ground) => ({ baseUrl: (await secure()(ground)).baseUrl.replace('https:', 'http:') }),
    unknown('UND_ERR_SOCKET'),
  ),
  fail('the authority is not trusted', secure(), notSent('UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED)),
  fail(
    'the certificate is signed by itself',
    secure(identity('self-signed')),
    notSent('DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED),
  ),
]

const OF_UNDICI: readonly Failure[] = [
  fail('the certificate has expired', trusted(identity('expired')), notSent('CERT_HAS_EXPIRED')),
  fail('the certificate is for another name', trusted(identity('other-name')), notSent('ERR_TLS_CERT_ALTNAME_INVALID')),
  fail('the server speaks TLS 1.0', trusted(TLS_1_0), notSent('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')),
  // In TLS 1.3 the alert comes after the request, and undici does not say which one it was.
  fail(
    'the server wants a certificate of the client',
    trusted({ requestCert: true, ca: AUTHORITY }),
    unknown(/UND_ERR_SOCKET|ECONNRESET|EPIPE/),
  ),
  fail(
    'the proxy does not listen',
    async (ground) => overProxy({}, { uri: await findClosedPort() })(ground),
    notSent('ECONNREFUSED'),
  ),
  fail(
    'the proxy wants a password',
    overProxy({ password: 'user:secret' }),
    notSent('UND_ERR_ABORTED', 'user:password'),
  ),
  fail(
    'the proxy does not allow the service',
    overProxy({ onConnect: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n') }),
    notSent('UND_ERR_ABORTED', NO_TUNNEL),
  ),
  fail(
    'the proxy cannot reach the service',
    async (ground) => ({
      ...(await overProxy({})(ground)),
      baseUrl: (await findClosedPort()).replace('http:', 'https:'),
    }),
    notSent('UND_ERR_ABORTED', NO_TUNNEL),
  ),
  fail(
    'the proxy hangs up instead of the tunnel',
    overProxy({ onConnect: (socket) => socket.end() }),
    notSent('UND_ERR_PRX_CONN', NO_TUNNEL),
  ),
  fail(
    'the proxy resets instead of the tunnel',
    overProxy({ onConnect: (socket) => socket.resetAndDestroy() }),
    notSent('ECONNRESET'),
  ),
  fail(
    'the proxy hangs up in the tunnel',
    overProxy({ onConnect: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n') }),
    notSent('ECONNRESET'),
  ),
  fail(
    'the proxy is asked by https, but speaks http',
    async (ground) => {
      const { url } = await open(ground, startProxy())
      return overProxy({}, { uri: url.replace('http:', 'https:') })(ground)
    },
    notSent('ERR_SSL_WRONG_VERSION_NUMBER', PLAIN_HTTP),
  ),
  fail(
    'the authority of the service is not trusted behind a proxy',
    overProxy({}, { requestTls: {} }),
    notSent('UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED),
  ),
  fail('the proxy wants a password before it hands an http request on', plainOverProxy({ password: 'user:secret' }), {
    ...unknown('UND_ERR_INVALID_ARG'),
    hint: 'user:password',
  }),
  // These are responses: the error has the words of the proxy, and nothing is added.
  fail('the proxy responds 403 to an http request', plainOverProxy({ status: 403 }), {
    reason: 'HTTP 403',
    submission: 'rejected',
  }),
  fail('the proxy responds 502 to an http request', plainOverProxy({ status: 502 }), unknown('HTTP 502')),
  fail('the proxy responds 504 to an http request', plainOverProxy({ status: 504 }), unknown('HTTP 504')),
]

/** Requests that `fetch` itself rejects. They are `not_sent` only with Node's own: no other can be distinguished from a function around it. */
const REJECTED_BY_FETCH: readonly Failure[] = [
  fail('the port is blocked', async () => ({ baseUrl: 'http://127.0.0.1:6666' }), notSent('bad port')),
]

const OF_NODE: readonly Failure[] = [
  ...REJECTED_BY_FETCH,
  fail(
    'the dispatcher is of another version',
    trusted({}),
    notSent('UND_ERR_INVALID_ARG', 'pass the `fetch` of that undici'),
  ),
]

const asUnknown = (failure: Failure): Failure => ({ ...failure, submission: 'unknown' })

/** Every failure with each `fetch` that can have it. */
export const FAILURES = [
  ...[...OF_BOTH, ...OF_NODE].map((failure) => ({ ...failure, of: "Node's fetch", fetch: globalThis.fetch })),
  ...[...OF_BOTH, ...OF_UNDICI, ...REJECTED_BY_FETCH.map(asUnknown)].map((failure) => ({
    ...failure,
    of: "undici's fetch",
    fetch: undiciFetch,
  })),
]
