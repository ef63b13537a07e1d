import { AsyncLocalStorage } from 'node:async_hooks'
import { Agent as HttpAgent, request } from 'node:http'
import ky from 'ky'
import type { FetchInit, FetchLike, ModelRunOptions } from 'modelrun'
import { Agent, interceptors, Pool, RetryAgent, fetch as undiciFetch } from 'undici'
import { pick, type Random } from './world.ts'

const nodeFetch = globalThis.fetch
const installed = new AsyncLocalStorage<FetchLike>()

/** Gives each sequence a `fetch` of the process of its own. Until the end of the process. */
export function patchFetch(): void {
  const patched: FetchLike = (url, init) => (installed.getStore() ?? nodeFetch)(url, init)
  globalThis.fetch = patched as typeof fetch
}

/** Where nothing listens: the first port that programs may use, which no system gives by itself. */
const NOWHERE = 'http://127.0.0.1:1024'

const retry = {
  methods: ['POST' as const],
  maxRetries: 1,
  minTimeout: 1,
  maxTimeout: 2,
  errorCodes: ['ECONNRESET', 'UND_ERR_SOCKET', 'ECONNREFUSED'],
}
const dispatchers = [
  () => new Agent({ keepAliveTimeout: 20 }),
  () => new RetryAgent(new Agent(), retry),
  () => new Agent().compose(interceptors.retry(retry)),
  () => new Agent({ factory: (origin, options) => new Pool(origin, options).compose(interceptors.retry(retry)) }),
]

const kept = new HttpAgent({ keepAlive: true })
const overHttp: FetchLike = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, signal, agent: kept }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
      const status = incoming.statusCode ?? 500
      incoming.on('end', () =>
        resolve(new Response([204, 304].includes(status) ? null : Buffer.concat(chunks), { status })),
      )
    })
    sending.on('error', reject).end(body)
  })

const notConnected = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
const isRun = ({ method }: FetchInit) => method === 'POST'

/** Functions around a `fetch`. Each may send the run by itself, to any place, before or after the real request. */
const WRAPPERS: Record<string, (send: FetchLike) => FetchLike> = {
  plain: (send) => (url, init) => send(url, init),
  'audit before, which nothing listens for': (send) => async (url, init) => {
    await nodeFetch(NOWHERE, { method: 'POST' }).catch(() => {})
    return await send(url, init)
  },
  'audit after, which nothing listens for': (send) => async (url, init) => {
    await send(url, init)
    return await nodeFetch(NOWHERE, init)
  },
  'fails after': (send) => async (url, init) => {
    await send(url, init)
    throw notConnected()
  },
  'relay, then direct': (send) => async (url, init) => {
    if (!isRun(init)) return await send(url, init)
    return await Promise.resolve(send(url, init)).catch(() => nodeFetch(NOWHERE, init))
  },
  'relay by http, then direct': (send) => async (url, init) => {
    if (!isRun(init)) return await send(url, init)
    return await Promise.resolve(overHttp(url, init)).catch(() => nodeFetch(NOWHERE, init))
  },
  'direct, then relay': (send) => async (url, init) => await nodeFetch(NOWHERE, init).catch(() => send(url, init)),
  twice: (send) => async (url, init) => await Promise.resolve(send(url, init)).catch(() => send(url, init)),
  nowhere: () => (_, init) => nodeFetch(NOWHERE, init),
  hedged: (send) => async (url, init) => {
    if (!isRun(init)) return await send(url, init)
    return await Promise.race([send(url, init), nodeFetch(NOWHERE, init)])
  },
  rebuilt: (send) => async (url, init) => {
    const response = await send(url, init)
    const text = await response.text()
    return new Response([204, 304].includes(response.status) ? null : text, { status: response.status })
  },
}
/** They hand on what the service responded, as it comes. */
const PASSING_ON = ['plain', 'audit before, which nothing listens for']

/** What is between the client and the network. */
export interface Way {
  name: string
  options: ModelRunOptions
  /** Makes calls of the client in its world. */
  run<T>(work: () => T): T
  /** True when a run may be sent twice by what the caller has put there. */
  mayRepeat: boolean
  /** True when the client gets each response as it is. */
  passesOn: boolean
}

const throwing = () => {
  throw new Error('a hook of the caller')
}

/** Draws a way. `onSend`: called at each `fetch` of the client. */
export function drawWay(random: Random, onSend: (init: FetchInit) => void): Way {
  const counted =
    (send: FetchLike): FetchLike =>
    (url, init) => {
      onSend(init)
      return send(url, init)
    }
  const plain = { run: <T>(work: () => T) => work(), mayRepeat: false, passesOn: true }
  const drawn = random()
  if (drawn < 0.1) return { ...plain, name: "Node's fetch", options: { fetch: nodeFetch } }
  if (drawn < 0.2) {
    const hooks = [
      { afterResponse: [throwing] },
      { beforeRequest: [throwing] },
      { afterResponse: [() => ky.retry({ delay: 0 })] },
    ]
    const instance = ky.extend({ hooks: pick(random, hooks) })
    return { ...plain, name: 'ky', options: { ky: instance, fetch: counted(nodeFetch) } }
  }
  const name = pick(random, Object.keys(WRAPPERS))
  const wrap = WRAPPERS[name] ?? ((send: FetchLike) => send)
  const kind = pick(random, ['caller', 'process', 'dispatcher'])
  const dispatcher = pick(random, dispatchers)()
  const send: FetchLike =
    kind === 'dispatcher'
      ? (url, init) => undiciFetch(url, { ...init, dispatcher })
      : random() < 0.2
        ? overHttp
        : nodeFetch
  const fetch = counted(wrap(send))
  const mayRepeat = kind === 'dispatcher' || ![...PASSING_ON, 'rebuilt'].includes(name)
  const way = {
    name: `${kind}: ${name}`,
    mayRepeat,
    passesOn: kind !== 'dispatcher' && PASSING_ON.includes(name) && send !== overHttp,
  }
  if (kind === 'caller') return { ...plain, ...way, options: { fetch } }
  return { ...way, options: {}, run: (work) => installed.run(fetch, work) }
}
