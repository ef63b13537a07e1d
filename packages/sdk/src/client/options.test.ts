import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { API_KEY, BASE_URL, recordLog } from '../../test/test-client.ts'
import { readClientOptions } from './client-options.ts'
import { type ModelRunOptions, resolveOptions as resolveRead } from './options.ts'

const valid = { apiKey: API_KEY, baseUrl: BASE_URL }

function resolveOptions(options: ModelRunOptions) {
  return resolveRead(readClientOptions('new ModelRun', options))
}

/** What a program without types may pass. */
function resolveUnchecked(options: Record<string, unknown>) {
  return resolveOptions({ ...valid, ...options } as ModelRunOptions)
}

describe('the API key (section 5)', () => {
  test('comes from the option, else from MODELRUN_API_KEY', async () => {
    vi.stubEnv('MODELRUN_API_KEY', 'sk_live_environment')
    expect(await resolveOptions(valid).apiKey?.()).toBe(API_KEY)
    expect(await resolveOptions({ baseUrl: BASE_URL }).apiKey?.()).toBe('sk_live_environment')
  })

  test('of the environment that cannot be one is named as such', () => {
    vi.stubEnv('MODELRUN_API_KEY', `"${API_KEY}"`)
    expect(() => resolveOptions({ baseUrl: BASE_URL })).toThrow('The API key in MODELRUN_API_KEY has quotes around it')
  })

  test.each([undefined, ''])('is missing when it is %j, and the error says how to give one', (apiKey) => {
    vi.stubEnv('MODELRUN_API_KEY', undefined)
    expect(() => resolveUnchecked({ apiKey })).toThrow(ConfigurationError)
    expect(() => resolveUnchecked({ apiKey })).toThrow(/apiKey.*MODELRUN_API_KEY/)
  })

  test.each([
    [`${API_KEY}\n`, 'white space'],
    [`"${API_KEY} "`, 'white space'],
    ['schlüssel', 'characters that no key has'],
    [`"${API_KEY}"`, 'quotes'],
    [`'${API_KEY}'`, 'quotes'],
    ['   ', 'white space'],
    [42, 'not a string'],
    [{}, 'not a string'],
  ])('is rejected without being printed when it is %j', (apiKey, reason) => {
    expect(() => resolveUnchecked({ apiKey })).toThrow(reason)
    expect(() => resolveUnchecked({ apiKey })).not.toThrow(API_KEY)
  })

  test('comes from a function each time it is needed, so that keys rotate (section 5.6)', async () => {
    const keys = ['sk_live_one', 'sk_live_two']
    const { apiKey } = resolveOptions({ ...valid, apiKey: () => keys.shift() ?? '' })
    await expect(apiKey?.()).resolves.toBe('sk_live_one')
    await expect(apiKey?.()).resolves.toBe('sk_live_two')
    await expect(apiKey?.()).rejects.toThrow(ConfigurationError)
  })
})

test('an environment that may not be read, as in Deno without --allow-env, is one without variables', async () => {
  const env = new Proxy({}, { get: () => expect.unreachable() })
  vi.stubGlobal('process', { env })
  const { apiKey } = resolveOptions(valid)
  const withoutKey = () => resolveOptions({ baseUrl: BASE_URL })
  expect(withoutKey).toThrow(ConfigurationError)
  expect(await apiKey?.()).toBe(API_KEY)
})

describe('the base URL', () => {
  test('comes from the option, else from MODELRUN_BASE_URL', () => {
    vi.stubEnv('MODELRUN_BASE_URL', 'https://env.example.com')
    expect(resolveOptions(valid).baseUrl).toBe(BASE_URL)
    expect(resolveOptions({ apiKey: API_KEY }).baseUrl).toBe('https://env.example.com')
  })

  test.each([
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/inference//', 'https://api.example.com/inference'],
    ['HTTP://API.example.com:80', 'http://api.example.com'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
  ])('%s is normalised to %s', (baseUrl, expected) => {
    expect(resolveOptions({ ...valid, baseUrl }).baseUrl).toBe(expected)
  })

  test.each([
    'api.example.com',
    'api.example.com:8443/inference',
    'localhost:4320',
    '127.0.0.1:4320/x',
    '/v1',
    'ftp://api.example.com',
    'https://user@api.example.com',
    'https://:secret@api.example.com',
    'https://api.example.com?a=1',
    'https://api.example.com#a',
  ])('%s is rejected', (baseUrl) => {
    expect(() => resolveOptions({ ...valid, baseUrl })).toThrow(ConfigurationError)
    expect(() => resolveOptions({ ...valid, baseUrl })).not.toThrow('secret')
  })

  test.each([undefined, ''])('is missing when it is %j, and the error says how to give one', (baseUrl) => {
    vi.stubEnv('MODELRUN_BASE_URL', undefined)
    expect(() => resolveUnchecked({ baseUrl })).toThrow(/baseUrl.*MODELRUN_BASE_URL/)
  })

  test('that is a key by mistake is not printed', () => {
    vi.stubEnv('MODELRUN_BASE_URL', API_KEY)
    expect(() => resolveOptions({ apiKey: API_KEY })).toThrow('The environment variable MODELRUN_BASE_URL must be')
    expect(() => resolveOptions({ apiKey: API_KEY })).not.toThrow(API_KEY)
  })

  test('with the version prefix is rejected, and the error gives the right one (section 9)', () => {
    expect(() => resolveOptions({ ...valid, baseUrl: 'https://api.example.com/x/v1/' })).toThrow(
      'Use https://api.example.com/x.',
    )
    expect(resolveOptions({ ...valid, baseUrl: 'https://api.example.com/rev1' }).baseUrl).toMatch(/rev1$/)
  })
})

describe('numbers', () => {
  test.each([{}, { timeoutMs: undefined, maxRetries: undefined, polling: undefined }])(
    'have their defaults: %j',
    (given) => {
      const polling = { initialIntervalMs: 500, maxIntervalMs: 5_000 }
      expect(resolveOptions({ ...valid, ...given })).toMatchObject({ timeoutMs: 30_000, maxRetries: 2, polling })
    },
  )

  test('may be infinite where that means no limit', () => {
    expect(resolveOptions({ ...valid, timeoutMs: Number.POSITIVE_INFINITY }).timeoutMs).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the log level', () => {
  test('comes from the option, else from MODELRUN_LOG, else it is warn', () => {
    const { lines, logger } = recordLog()
    for (const level of ['', undefined]) {
      vi.stubEnv('MODELRUN_LOG', level)
      resolveOptions({ ...valid, logger }).log.info('hidden')
      resolveOptions({ ...valid, logger }).log.warn('default')
    }
    vi.stubEnv('MODELRUN_LOG', 'debug')
    resolveOptions({ ...valid, logger }).log.debug('environment')
    resolveOptions({ ...valid, logger, logLevel: 'off' }).log.error('hidden')
    const expected = ['warn modelrun: default', 'warn modelrun: default', 'debug modelrun: environment']
    expect(lines).toEqual(expected)
  })

  test.each(['verbose', 'WARN', 'toString'])('is warn, with a warning, when MODELRUN_LOG is %j', (level) => {
    vi.stubEnv('MODELRUN_LOG', level)
    const { lines, logger } = recordLog()
    const { log } = resolveOptions({ ...valid, logger })
    expect(lines.join()).toContain(`MODELRUN_LOG is "${level}". It must be one of off, error, warn, info, debug`)
    expect([log.isOn('warn'), log.isOn('info')]).toEqual([true, false])
  })
})

describe('a live key (section 5.3)', () => {
  const LIVE = 'sk_live_0123456789abcdef'
  const http = { apiKey: LIVE, baseUrl: 'http://api.example.com' }

  test.each(['https://api.example.com', 'http://localhost:4010', 'http://127.0.0.1:4010', 'http://[::1]:4010'])(
    'goes to %s',
    (baseUrl) => {
      expect(resolveOptions({ apiKey: LIVE, baseUrl }).apiKey?.()).toBe(LIVE)
    },
  )

  test('does not go over plain http to another machine, unless the program says so', () => {
    expect(() => resolveOptions(http)).toThrow(/is a live one.*dangerouslyAllowHttp/)
    expect(() => resolveOptions(http)).not.toThrow(LIVE)
    expect(resolveOptions({ ...http, apiKey: 'sk_test_0123456789abcdef' }).apiKey?.()).toContain('sk_test_')
    expect(resolveOptions({ ...http, dangerouslyAllowHttp: true }).apiKey?.()).toBe(LIVE)
  })

  test('of a function is checked at each attempt', async () => {
    const key = resolveOptions({ ...http, apiKey: () => LIVE }).apiKey?.()
    await expect(key).rejects.toThrow('is a live one')
  })
})
