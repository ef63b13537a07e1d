import { createReferenceServer } from '@modelrun/reference-server'
import { type ListeningServer, listen } from '@modelrun/reference-server/node'
import { AttemptTimeoutError, ConnectionError, ModelRun, type ModelRunOptions } from 'modelrun'
import { Agent, fetch, ProxyAgent } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  AUTHORITY,
  identity,
  type Listener,
  startProxy,
  startTls,
  type TestProxy,
} from '../../packages/integration-tests/src/networks/test-network.ts'

const INPUT = { prompt: 'a red fox' }

const server = createReferenceServer({ clock: { scale: 1_000 }, seed: 1 })
let plain: ListeningServer
let service: Listener
let files: Listener
let proxy: TestProxy

beforeEach(async () => {
  plain = await listen(server)
  service = await startTls(plain.url)
  files = await startTls(plain.url)
  // The urls of produced files start with it.
  server.transport.set({ baseUrl: files.url })
  proxy = await startProxy({ password: 'user:secret' })
})

afterEach(async () => {
  await Promise.all([service, files, proxy, plain].map((one) => one.close()))
})

/** Nothing else trusts the certificate of the service: what arrives has come this way. */
const throughProxy = () => new ProxyAgent({ uri: proxy.url, requestTls: { ca: AUTHORITY } })

function createClient(options: ModelRunOptions): ModelRun {
  return new ModelRun({
    apiKey: server.apiKey,
    baseUrl: service.url,
    logLevel: 'off',
    maxRetries: 0,
    fetch,
    ...options,
  })
}

const hostOf = ({ url }: Listener) => new URL(url).host

async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
}

describe('a proxy in `fetchOptions`, with the fetch of the same undici', () => {
  test('carries runs, polls and downloads', async () => {
    const client = createClient({ fetchOptions: { dispatcher: throughProxy() } })
    const { output } = await client.run('aurora-image', INPUT, { mode: 'async' })
    const file = await client.files.download(output.items[0] ?? '')
    expect(file.contentType).toBe('image/png')
    expect((await file.bytes()).byteLength).toBeGreaterThan(100)
    expect(new Set(proxy.seen)).toEqual(new Set([hostOf(service), hostOf(files)]))
  })

  test('can be that of one call alone', async () => {
    const client = createClient({})
    const fetchOptions = { dispatcher: throughProxy() }
    await expect(client.models.list({}, { fetchOptions })).resolves.toMatchObject({ offset: 0 })
    const { output } = await client.run('aurora-image', INPUT, { mode: 'async', fetchOptions })
    await client.files.download(output.items[0] ?? '', { fetchOptions }).then((file) => file.bytes())
    expect(await failureOf(client.models.list())).toMatchObject({
      attempts: [{ reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }],
    })
    expect(await failureOf(client.files.download(output.items[0] ?? ''))).toBeInstanceOf(ConnectionError)
  })

  test('that never opens the tunnel is ended by the time limit', async () => {
    const silent = await startProxy({ onConnect: () => {} })
    const client = createClient({ fetchOptions: { dispatcher: new ProxyAgent(silent.url) }, timeoutMs: 300 })
    const error = await failureOf(client.submit('aurora-image', INPUT))
    await silent.close()
    // A tunnel that is not open yet cannot be distinguished from a response that has not come.
    expect(error).toBeInstanceOf(AttemptTimeoutError)
    expect(error).toMatchObject({ submission: 'unknown' })
  })

  test('that is of another version than the fetch is an error that says so', async () => {
    const client = createClient({ fetch: globalThis.fetch, fetchOptions: { dispatcher: throughProxy() } })
    const error = await failureOf(client.submit('aurora-image', INPUT))
    expect(error).toMatchObject({ name: 'ConnectionError', submission: 'not_sent' })
    expect(error).toMatchObject({ message: expect.stringContaining('pass the `fetch` of that undici') })
  })
})

describe('an Agent in `fetchOptions`', () => {
  test('brings the certificate of an authority', async () => {
    const client = createClient({ fetchOptions: { dispatcher: new Agent({ connect: { ca: AUTHORITY } }) } })
    await expect(client.run('aurora-image', INPUT)).resolves.toMatchObject({ status: 'succeeded' })
  })

  test('brings a certificate of the client, for which the server asks', async () => {
    const strict = await startTls(plain.url, { requestCert: true, rejectUnauthorized: true, ca: AUTHORITY })
    const list = (connect: object) => {
      const dispatcher = new Agent({ connect: { ca: AUTHORITY, ...connect } })
      return createClient({ baseUrl: strict.url, fetchOptions: { dispatcher } }).models.list()
    }
    await expect(list(identity())).resolves.toMatchObject({ offset: 0 })
    expect(await failureOf(list({}))).toBeInstanceOf(ConnectionError)
    await strict.close()
  })
})
