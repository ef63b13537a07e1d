import type { IncomingMessage } from 'node:http'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { serveInTest } from '../../../../kit/test/serve-in-test.ts'
import { caught } from '../../../test/caught.ts'
import { printedForms } from '../../../test/printed-forms.ts'
import { folderOfEachTest } from '../../../test/saving-client.ts'
import { text } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient } from '../../../test/test-client.ts'
import { ModelRun } from '../client.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import type { DownloadOptions } from './file-options.ts'

const folder = folderOfEachTest()

/** A name of the internet that the client below finds on this machine. */
const PUBLIC = 'files.example.com'

/** A host that serves `pixels`, and redirects its `/to/` paths. */
async function startHost(name = '127.0.0.1') {
  const received: IncomingMessage[] = []
  const served = await serveInTest((request, response) => {
    received.push(request)
    const [, target] = /^\/to\/(.*)/.exec(request.url ?? '') ?? []
    if (target === undefined) response.end('pixels')
    else response.writeHead(302, { location: decodeURIComponent(target) }).end()
  })
  const { port } = new URL(served)
  const origin = `http://${name}:${port}`
  const to = (target: string) => `${origin}/to/${encodeURIComponent(target)}`
  return { origin, host: `${name}:${port}`, to, received }
}

const resolve: typeof globalThis.fetch = (url, init) => fetch(String(url).replace(`//${PUBLIC}`, '//127.0.0.1'), init)
const clientOf = (baseUrl: string) => new ModelRun({ apiKey: API_KEY, baseUrl, fetch: resolve })
const remote = clientOf('https://api.example.com')

const read = async (file: Promise<{ blob(): Promise<Blob> }>) => await (await (await file).blob()).text()

describe('a file whose host redirects', () => {
  test.each([
    ['this machine', 'its host is a number instead of a name'],
    ['https://kubernetes.default.svc/', 'its host is a name within a private network'],
    ['https://user:pass@files.example.com/', 'it holds a user or a password'],
    ['file:///etc/passwd', 'it is not https'],
    ['data:text/plain,x', 'it is not https'],
    ['https://', 'redirects to what is not a url'],
  ])('to %s is not fetched from there', async (target, problem) => {
    const [given, victim] = [await startHost(PUBLIC), await startHost()]
    const location = target === 'this machine' ? `${victim.origin}/secret?key=1` : target
    const download = remote.files.download(given.to(location), { maxRetries: 2 })
    const error = await caught(download, InvalidResponseError)
    expect(error).toMatchObject({ code: 'invalid_response', status: 302, isRetryable: false })
    expect(error.message).toContain(problem)
    expect(printedForms(error)).not.toMatch(/key=1|pass@/)
    expect([given.received.length, victim.received.length]).toEqual([1, 0])
  })

  test('to its own origin is fetched, wherever it is', async () => {
    const host = await startHost(PUBLIC)
    await expect(read(remote.files.download(host.to('/file')))).resolves.toBe('pixels')
    await expect(read(remote.files.download(host.to(`${host.origin}/to/%2Ffile`)))).resolves.toBe('pixels')
  })

  test('to an allowed host is fetched, without the API key', async () => {
    const [given, store] = [await startHost(), await startHost()]
    const allowedHosts = [given.host, store.host]
    await expect(read(remote.files.download(given.to(store.origin), { allowedHosts }))).resolves.toBe('pixels')
    expect(store.received.map(({ headers }) => headers.authorization)).toEqual([undefined])
    expect(JSON.stringify(store.received[0]?.rawHeaders)).not.toContain(API_KEY)
  })

  test('to this machine is fetched when the service is on this machine', async () => {
    const [given, store] = [await startHost(PUBLIC), await startHost()]
    const local = clientOf('http://localhost:4010')
    await expect(read(local.files.download(given.to(store.origin)))).resolves.toBe('pixels')
    await caught(local.files.download(given.to('http://10.0.0.1/')), InvalidResponseError)
    const allowedHosts = [given.host]
    await caught(local.files.download(given.to(store.origin), { allowedHosts }), InvalidResponseError)
  })

  test('is checked at every step', async () => {
    const [given, allowed, victim] = [await startHost(), await startHost(), await startHost()]
    const allowedHosts = [given.host, allowed.host]
    const download = remote.files.download(given.to(allowed.to(victim.origin)), { allowedHosts })
    const error = await caught(download, InvalidResponseError)
    expect(error.message).toContain(
      `redirects to ${victim.origin}, which is not safe: its host is none of the allowed ones. If you trust`,
    )
    expect([allowed.received.length, victim.received.length]).toEqual([1, 0])
  })

  test('without end is given up', async () => {
    const { client, service } = createTestClient([text(302, '', { location: '/again' })])
    const error = await caught(client.files.download('https://files.example.com/0.png'), InvalidResponseError)
    expect(error.message).toContain('redirects more than 20 times')
    expect(service.received).toHaveLength(21)
  })

  test('from https to http is not fetched, from http to http it is', async () => {
    const redirect = text(302, '', { location: 'http://cdn.example.com/0.png' })
    const https = createTestClient([redirect, text(200, 'pixels')])
    const error = await caught(https.client.files.download('https://files.example.com/'), InvalidResponseError)
    expect(error.message).toContain('it is not https')
    const http = createTestClient([redirect, text(200, 'pixels')])
    await expect(read(http.client.files.download('http://files.example.com/'))).resolves.toBe('pixels')
  })

  test('in a browser, which hides the target, is followed by the browser and checked by the url of the response', async () => {
    const fetched: (string | undefined)[] = []
    const browser =
      (target: string) =>
      async (_: string, { redirect }: RequestInit) => {
        fetched.push(redirect)
        if (redirect === 'manual') return Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
        return Object.defineProperties(new Response('pixels'), { redirected: { value: true }, url: { value: target } })
      }
    const open = (target: string) => createTestClient([], { fetch: browser(target) }).client
    const url = 'https://files.example.com/'
    await expect(read(open('https://cdn.example.com/').files.download(url))).resolves.toBe('pixels')
    expect(fetched).toEqual(['manual', 'follow'])
    await caught(open('https://10.0.0.1/').files.download(url), InvalidResponseError)
  })
})

describe('the option allowedHosts', () => {
  test('rejects the url of another host before anything is sent', async () => {
    const { client, service } = createTestClient([text(200, 'pixels')])
    const allowedHosts = ['*.example.com']
    await expect(read(client.files.download('https://a.example.com/', { allowedHosts }))).resolves.toBe('pixels')
    const error = await caught(
      client.files.download('https://a.example.org/?token=secret', { allowedHosts }),
      ConfigurationError,
    )
    expect(error.message).toBe(
      "The file at https://a.example.org/ is not fetched: its host is none of the allowed ones. If you trust that host, name it: `allowedHosts: ['a.example.org']`.",
    )
    expect(service.received).toHaveLength(1)
  })

  test.each<[unknown, string]>([
    ['a.example.com', "must be a list of hosts, like ['*.example.com']"],
    [['https://a.example.com'], 'The allowed host "https://a.example.com" is none'],
    [[7], 'must be a list of hosts'],
    [[''], 'The allowed host "" is none'],
  ])('rejects %j', async (hosts, problem) => {
    const { client, service } = createTestClient([text(200, 'pixels')])
    // What a program without types may pass.
    const allowedHosts = hosts as string[]
    const error = await caught(client.files.download('https://a.example.com/', { allowedHosts }), ConfigurationError)
    expect(error.message).toContain(problem)
    expect(service.received).toHaveLength(0)
  })
})

describe('the url of a file', () => {
  const open = (url: string, baseUrl: string, options: DownloadOptions = {}) =>
    createTestClient([text(200, 'pixels')], { baseUrl }).client.files.download({ type: 'file', url }, options)

  test.each([
    ['http://169.254.169.254/latest/meta-data', 'its host is a number instead of a name'],
    ['http://[::ffff:169.254.169.254]/', 'its host is a number instead of a name'],
    ['http://10.0.0.5:5432/', 'its host is a number instead of a name'],
    ['http://localhost/', 'its host is a name within a private network'],
    ['http://metadata.google.internal/', 'its host is a name within a private network'],
    ['https://10-0-0-5.example.com/', 'its host is a name within a private network'],
    ['https://127.0.0.1.nip.io/', 'its host is a name within a private network'],
  ])('%s is not fetched by the client of a public service', async (url, problem) => {
    const { client, service } = createTestClient([text(200, 'pixels')])
    const produced = { job_id: 'job_1', output: { type: 'image', items: [{ type: 'image', url }] } }
    const errors = await Promise.all([
      caught(client.files.download(url), ConfigurationError),
      caught(client.files.save(produced, folder.path), ConfigurationError),
    ])
    for (const { message } of errors)
      expect(message).toContain(`is not fetched: ${problem}. If you trust that host, name`)
    expect(errors[1]).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
    expect(errors[1].message).toContain('The result of the job job_1 is not lost')
    expect(service.received).toHaveLength(0)
  })

  test.each([
    ['a public name', 'https://cdn.example.net/0.png', 'https://api.example.com'],
    ['a public name without https', 'http://cdn.example.net/0.png', 'https://api.example.com'],
    ['this machine, as the service', 'http://127.0.0.1:4011/0.png', 'http://localhost:4010'],
    ['the host of a service in a private network', 'http://10.0.0.5:9000/0.png', 'http://10.0.0.5:8080'],
    ['the name of a service in a private network', 'http://modelrun:4010/0.png', 'http://modelrun:4010'],
  ])('is fetched from %s', async (_, url, baseUrl) => {
    await expect(read(open(url, baseUrl))).resolves.toBe('pixels')
  })

  test.each([
    ['another host of the private network of the service', 'http://10.0.0.6/0.png', 'http://10.0.0.5:8080'],
    ['this machine, for a service elsewhere in the private network', 'http://127.0.0.1/0.png', 'http://10.0.0.5:8080'],
  ])('is fetched from %s when it is allowed', async (_, url, baseUrl) => {
    await caught(open(url, baseUrl), ConfigurationError)
    await expect(read(open(url, baseUrl, { allowedHosts: [new URL(url).host] }))).resolves.toBe('pixels')
  })
})
