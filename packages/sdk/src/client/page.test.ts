import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../test/caught.ts'
import { errorResponse, json, type Step } from '../../test/scripted-service.ts'
import { API_KEY, BASE_URL, createTestClient } from '../../test/test-client.ts'
import { ModelRun } from './client.ts'
import { AuthenticationError } from './errors/api-errors.ts'
import { ConnectionError } from './errors/transport-errors.ts'
import type { ModelRunOptions } from './options.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
const PAGE = 'https://app.example.com'
const MODELS = json(200, { models: [], total: 0, limit: 20, offset: 0 })

/** What a page has; a worker of it has no window. */
function openPage({ origin = PAGE, userAgent = CHROME }: { origin?: string; userAgent?: string } = {}) {
  vi.stubGlobal('window', { document: {} })
  vi.stubGlobal('location', { origin })
  vi.stubGlobal('navigator', { userAgent })
}

function openWorker(userAgent: string) {
  vi.stubGlobal('WorkerGlobalScope', Object)
  vi.stubGlobal('location', { origin: PAGE })
  vi.stubGlobal('navigator', { userAgent })
}

function pageClient(steps: readonly Step[], options: ModelRunOptions) {
  return createTestClient(steps, { apiKey: undefined, ...options })
}

describe('a client in a page', () => {
  test.each([
    ['for a path of the page', '/api/modelrun', `${PAGE}/api/modelrun`],
    ['for a proxy at another origin', 'https://api.app.example.com/modelrun', 'https://api.app.example.com/modelrun'],
  ])('needs neither key nor permission %s, and sends none of an environment of a bundler', async (_, baseUrl, base) => {
    openPage()
    vi.stubEnv('MODELRUN_API_KEY', API_KEY)
    const { client, service } = pageClient([MODELS], { baseUrl })
    await client.models.list()
    expect(service.received).toMatchObject([{ url: `${base}/v1/models` }])
    expect(service.received[0]?.headers.has('authorization')).toBe(false)
  })

  test('sends the headers that the page has set, authorization too', async () => {
    openPage()
    const headers = { authorization: 'Bearer session' }
    const { client, service } = pageClient([MODELS], { baseUrl: '/api/modelrun', headers })
    await client.models.list()
    expect(service.received[0]?.headers.get('authorization')).toBe('Bearer session')
  })

  test('is not made with a key, wherever it leads, and the error names the proxy', () => {
    openPage()
    for (const baseUrl of ['/api/modelrun', BASE_URL]) {
      expect(() => new ModelRun({ apiKey: API_KEY, baseUrl })).toThrow(/modelrun\/proxy.*dangerouslyAllowBrowser/)
    }
    expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: '/api', dangerouslyAllowBrowser: true })).not.toThrow()
  })

  test.each(['/api/modelrun?a=1', '/api/modelrun#a', '/api/v1', '//evil.example.com', 'api/modelrun', ''])(
    'cannot have the address %j',
    (baseUrl) => {
      openPage()
      expect(() => new ModelRun({ baseUrl })).toThrow(ConfigurationError)
    },
  )

  test('does not mention the API key when the proxy asks for a session', async () => {
    openPage()
    const { client } = pageClient([errorResponse(401, 'UNAUTHORIZED')], { baseUrl: '/api/modelrun' })
    const error = await caught(client.models.list(), AuthenticationError)
    expect(error.message).not.toContain('API key')
  })

  test.each(['capacitor://localhost', 'tauri://localhost', 'chrome-extension://abcdef'])(
    'of an app at %s says that a path leads nowhere, and what the proxy needs',
    async (origin) => {
      openPage({ origin })
      const { client, service } = pageClient([MODELS], { baseUrl: '/api/modelrun' })
      const advice = `the whole url of your proxy, and add ${origin} to its \`allowedOrigins\``
      await expect(client.models.list()).rejects.toThrow(advice)
      expect(service.received).toEqual([])
    },
  )

  test('says that a failed request to another origin may be CORS, and to its own that it is not', async () => {
    openPage()
    const fail: Step = () => Promise.reject(new TypeError('Failed to fetch'))
    const other = pageClient([fail], { baseUrl: BASE_URL, maxRetries: 0 })
    const error = await caught(other.client.models.list(), ConnectionError)
    expect(error.message).toMatch(/Failed to fetch.*from https:\/\/app\.example\.com.*network failed.*CORS/)
    const own = pageClient([fail], { baseUrl: '/api/modelrun', maxRetries: 0 })
    expect((await caught(own.client.models.list(), ConnectionError)).message).not.toContain('CORS')
  })
})

describe('a worker of a page', () => {
  test('is a browser: its key can be read as well', () => {
    openWorker(CHROME)
    expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL })).toThrow('dangerouslyAllowBrowser')
    expect(() => new ModelRun({ baseUrl: '/api/modelrun' })).not.toThrow()
  })

  test.each(['Cloudflare-Workers', 'Deno/2.7.0', 'Node.js/24'])('of %s is not one of a page', (userAgent) => {
    openWorker(userAgent)
    expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL })).not.toThrow()
  })
})

describe('Electron', () => {
  test('has a page in each renderer, also with Node integration: the key would be shipped with the app', () => {
    vi.stubGlobal('process', { ...process, type: 'renderer' })
    openPage({ origin: 'file://', userAgent: `${CHROME} Electron/40.0.0` })
    expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL })).toThrow('dangerouslyAllowBrowser')
  })

  test('has a program like any other in its main process', () => {
    vi.stubGlobal('process', { ...process, type: 'browser', versions: { ...process.versions, electron: '40.0.0' } })
    expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL })).not.toThrow()
  })
})

test.each([
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.1.0',
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HappyDOM/20.0.0',
])('a test environment that imitates a page may have a key, and a path is below its origin: %s', async (userAgent) => {
  openPage({ userAgent, origin: 'http://localhost:3000' })
  expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL })).not.toThrow()
  const { client, service } = pageClient([MODELS], { baseUrl: '/api/modelrun' })
  await client.models.list()
  expect(service.received[0]?.url).toBe('http://localhost:3000/api/modelrun/v1/models')
})

describe('a server that renders a page in advance', () => {
  test('can make the client of the page; its calls fail and say why, and nothing is sent', async () => {
    vi.stubEnv('MODELRUN_API_KEY', API_KEY)
    const { client, service } = pageClient([MODELS], { baseUrl: '/api/modelrun' })
    const error = await caught(client.run('aurora-image', { prompt: 'x' }), ConfigurationError)
    expect(error).toMatchObject({ submission: 'not_sent', isRetryable: false })
    expect(error.message).toMatch(/was not sent, because the option `baseUrl` is the path "\/api\/modelrun"/)
    expect(service.received).toEqual([])
  })

  test('cannot use a path with a key', () => {
    expect(() => new ModelRun({ apiKey: API_KEY, baseUrl: '/api/modelrun' })).toThrow('must be an http or https')
  })
})
