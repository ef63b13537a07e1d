import { AsyncResource } from 'node:async_hooks'
import { createServer, type Server } from 'node:http'
import { type FetchLike, ModelRun, ModelRunError } from 'modelrun'
import {
  Agent,
  type Dispatcher,
  getGlobalDispatcher,
  interceptors,
  Pool,
  RetryAgent,
  setGlobalDispatcher,
  fetch as undiciFetch,
} from 'undici'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { listenOn } from '../../../kit/test/listen-on.ts'

const ERRORS = ['ECONNRESET', 'UND_ERR_SOCKET', 'ECONNREFUSED']
const retry = { methods: ['POST', 'PUT'] as Dispatcher.HttpMethod[], maxRetries: 1, minTimeout: 1, errorCodes: ERRORS }
const composed = () => new Agent().compose(interceptors.retry(retry))

const nodeFetch = globalThis.fetch
const plain: FetchLike = (url, init) => nodeFetch(url, init)
const twice: FetchLike = async (url, init) => nodeFetch(url, init).catch(() => nodeFetch(url, init))

/** Sends it first in the context in which this file was loaded, or beside that. */
const atLoad = new AsyncResource('load')
const elsewhere: FetchLike = (url, init) =>
  atLoad.runInAsyncScope(() => nodeFetch(url, init)).catch(() => nodeFetch(url, init))
const beside: FetchLike = async (url, init) => {
  const other = atLoad.runInAsyncScope(() => nodeFetch(url, init)).catch(() => {})
  const own = nodeFetch(url, init)
  own.catch(() => {})
  await other
  return own
}
const later: FetchLike = async (url, init) => {
  await new Promise((resolve) => setTimeout(resolve))
  return nodeFetch(url, init)
}

/** An agent whose connections send again, and which looks like any other. */
const ofPools = () =>
  new Agent({ factory: (origin, options) => new Pool(origin, options).compose(interceptors.retry(retry)) })

const JSON_TYPE = { 'content-type': 'application/json' }
const REJECTION = '{"error":{"code":"BAD","message":"It is rejected."}}'

interface Way {
  fetch?: FetchLike
  /** The `fetch` of the process. */
  installed?: FetchLike
  dispatcher?: () => Dispatcher
  global?: () => Dispatcher
  /** How many it sends at once, whatever happens to them. */
  copies?: number
  /** Whether a connection that was refused is known not to be a request. */
  isProven: boolean
}

/** What may stand between the client and the network. */
const WAYS: Record<string, Way> = {
  "Node's fetch": { isProven: true },
  "Node's fetch as the option": { fetch: nodeFetch, isProven: true },
  'a function around the fetch of the process': { installed: plain, isProven: true },
  'a function that sends again around the fetch of the process': { installed: twice, isProven: true },
  'a function that sends first elsewhere': { installed: elsewhere, isProven: false },
  'a function that sends elsewhere too': { installed: beside, copies: 2, isProven: false },
  'a function that has time for another way': { installed: later, isProven: false },
  "undici's fetch in the process": { installed: undiciFetch, isProven: true },
  'a function of the caller': { fetch: plain, isProven: false },
  'a function of the caller that sends again': { fetch: twice, isProven: false },
  "undici's fetch": { fetch: undiciFetch, isProven: false },
  'a dispatcher': { installed: undiciFetch, dispatcher: () => new Agent(), isProven: true },
  'a dispatcher that sends again': {
    installed: undiciFetch,
    dispatcher: () => new RetryAgent(new Agent(), retry),
    isProven: true,
  },
  'an interceptor that sends again': { installed: undiciFetch, dispatcher: composed, isProven: true },
  'pools that send again': { installed: undiciFetch, dispatcher: ofPools, isProven: false },
  'a global dispatcher': { global: () => new Agent(), isProven: true },
  'a global dispatcher that sends again': { global: () => new RetryAgent(new Agent(), retry), isProven: true },
  'a global interceptor that sends again': { global: composed, isProven: true },
  'global pools that send again': { global: ofPools, isProven: false },
}

const CALLS: Record<string, (client: ModelRun) => PromiseLike<unknown>> = {
  run: (client) => client.run('aurora-image', { prompt: 'x' }),
  submit: (client) => client.submit('aurora-image', { prompt: 'x' }),
  'request of POST': (client) => client.request('POST', '/v1/credits', { body: {} }),
  'request of PUT': (client) => client.request('PUT', '/v1/webhooks/1', { body: {} }),
}

let server: Server
let baseUrl: string
let arrived = 0
/** Whether the service comes back, and rejects what is sent again. */
let isBack = false
let before: Dispatcher

beforeEach(async () => {
  before = getGlobalDispatcher()
  arrived = 0
  isBack = false
  // The first request is the last: the connection breaks, and nothing listens any more.
  server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      arrived++
      if (isBack && arrived > 1) return response.writeHead(400, JSON_TYPE).end(REJECTION)
      if (!isBack) server.close()
      return incoming.socket.destroy()
    })
  })
  baseUrl = `http://127.0.0.1:${(await listenOn(server)).port}`
})

afterEach(() => {
  setGlobalDispatcher(before)
  server.close()
})

async function failureOf(
  { fetch, installed, dispatcher, global }: Way,
  call: keyof typeof CALLS,
): Promise<ModelRunError> {
  if (global) setGlobalDispatcher(global())
  if (installed) vi.stubGlobal('fetch', installed)
  const fetchOptions = dispatcher ? { fetchOptions: { dispatcher: dispatcher() } } : {}
  const client = new ModelRun({
    apiKey: 'sk_test_1',
    baseUrl,
    logLevel: 'off',
    random: () => 0,
    fetch,
    ...fetchOptions,
  })
  const error = await Promise.resolve(CALLS[call]?.(client)).catch((reason: unknown) => reason)
  if (error instanceof ModelRunError) return error
  throw new TypeError('It did not fail as it must.')
}

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  test.each(Object.keys(CALLS))('a %s that arrived once is neither sent again nor called unsent', async (call) => {
    const error = await failureOf(way, call)
    expect([arrived, error.submission, error.attempts.length]).toEqual([way.copies ?? 1, 'unknown', 1])
    expect(error.message).not.toContain('nothing is charged')
  })

  test('a run that arrived once is not called rejected when the second one was', async () => {
    isBack = true
    const { submission, message } = await failureOf(way, 'submit')
    expect(submission).toBe('unknown')
    expect(message).not.toContain('nothing is charged')
  })

  test.each(Object.keys(CALLS))('a %s that nothing listens for is called unsent where that is proven', async (call) => {
    await new Promise((resolve) => server.close(resolve))
    const { submission, attempts } = await failureOf(way, call)
    expect([submission, attempts.length]).toEqual(way.isProven ? ['not_sent', 3] : ['unknown', 1])
  })
})
