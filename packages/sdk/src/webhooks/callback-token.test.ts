import { createHmac } from 'node:crypto'
import { ConfigurationError } from '@modelrun/kit'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { type CallbackTokenOptions, createCallbackTokens } from './callback-token.ts'

const secret = 'a secret of thirty-two bytes, or more'
const baseUrl = 'https://app.example.com/hook'
const HOUR_MS = 3_600_000
const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/%~ é']

function open(options: Partial<CallbackTokenOptions> = {}) {
  const clock = createManualClock()
  const tokens = createCallbackTokens({ secret, audience: baseUrl, clock, ...options })
  return { clock, ...tokens, createOne: async () => (await tokens.create(baseUrl)).url }
}

const tokenOf = (url: string) => new URL(url).searchParams.get('modelrun_token') ?? ''

describe('a created url', () => {
  test('is genuine as a URL, as a path with its query, and as a token alone', async () => {
    const { create, verify } = open()
    const { url, ref } = await create(baseUrl)
    const { pathname, search } = new URL(url)
    for (const form of [url, pathname + search, tokenOf(url)]) {
      await expect(verify(form)).resolves.toEqual({ kind: 'genuine', ref })
    }
  })

  test('has the signature that its parts say', async () => {
    const { create } = open()
    const { url, ref } = await create(`${baseUrl}?a=1`)
    const end = ((Date.UTC(2026, 0, 1) + 24 * HOUR_MS) / 1_000).toString(36)
    const text = `modelrun callback\nv1\n1\n${ref}\n${end}\n${baseUrl}`
    const mac = createHmac('sha256', secret).update(text).digest('base64url')
    expect(url).toBe(`${baseUrl}?a=1&modelrun_token=v1.1.${end}.${ref}.${mac}`)
  })

  test('is another one each time', async () => {
    const { create } = open()
    const refs = await Promise.all(Array.from({ length: 100 }, async () => (await create(baseUrl)).ref))
    expect(new Set(refs).size).toBe(100)
  })

  test('keeps the query as it is, and drops what is never sent', async () => {
    const { create, verify } = open()
    const { url } = await create(`${baseUrl}?a=%20+b&c&a=2#top`)
    expect(url).toMatch(/^https:\/\/app\.example\.com\/hook\?a=%20\+b&c&a=2&modelrun_token=v1\.[^#]+$/)
    await expect(verify(url)).resolves.toMatchObject({ kind: 'genuine' })
  })

  test.each(['http://localhost:3000/hook', 'http://127.0.0.1/', 'http://[::1]:1/', 'http://app.localhost/'])(
    'may be on this machine without https: %s',
    async (local) => {
      await expect(open().create(local)).resolves.toMatchObject({ url: expect.stringContaining(local) })
    },
  )

  test.each([
    ['http://app.example.com/hook', 'it must start with https://'],
    ['http://127.0.0.1.example.com/', 'it must start with https://'],
    ['ftp://localhost/', 'it must start with https://'],
    ['https://user:pass@app.example.com/', 'it has a user or a password'],
    ['/hook', 'give a whole one'],
    ['', 'give a whole one'],
    ['https://a.example/?modelrun_token=x', 'it has a token already'],
  ])('is rejected for %s', async (address, problem) => {
    const rejection = expect(open().create(address)).rejects
    await rejection.toThrow(ConfigurationError)
    await expect(open().create(address)).rejects.toThrow(problem)
  })

  test('may be http at any host with `allowHttp`, and nothing else', async () => {
    const { create } = open({ allowHttp: true })
    await expect(create('http://app:3000/')).resolves.toMatchObject({ url: expect.stringMatching('^http:') })
    await expect(create('ftp://app:3000/')).rejects.toThrow('it must start with https://, not ftp://app:3000.')
  })
})

describe('a token', () => {
  test('counts for 24 hours and a minute, then is expired for six days, then forged', async () => {
    const { create, verify, clock } = open()
    const { url, ref } = await create(baseUrl)
    await clock.advance(24 * HOUR_MS + 60_000)
    await expect(verify(url)).resolves.toEqual({ kind: 'genuine', ref })
    await clock.advance(1)
    await expect(verify(url)).resolves.toEqual({ kind: 'expired', ref })
    // Its job may be forgotten then.
    await clock.advance(6 * 24 * HOUR_MS - 60_001)
    await expect(verify(url)).resolves.toEqual({ kind: 'expired', ref })
    await clock.advance(1)
    await expect(verify(url)).resolves.toEqual({ kind: 'forged' })
  })

  test('is forged when any character of it is another one', async () => {
    const { createOne, verify } = open()
    const token = tokenOf(await createOne())
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...ALPHABET), async (at, character) => {
        fc.pre(token[at] !== character)
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        expect(['forged', 'missing']).toContain((await verify(changed)).kind)
        expect((await verify(`${baseUrl}?modelrun_token=${changed}`)).kind).toBe('forged')
      }),
      { numRuns: 2_000 },
    )
  })

  test('has one form: each last character that a decoder would take for the same bytes is forged', async () => {
    const { createOne, verify } = open()
    const token = tokenOf(await createOne())
    const last = token.at(-1)
    const kinds = await Promise.all(
      ALPHABET.slice(0, 64).map(async (character) => [character, (await verify(token.slice(0, -1) + character)).kind]),
    )
    expect(kinds.filter(([, kind]) => kind === 'genuine')).toEqual([[last, 'genuine']])
  })

  test('is forged when it is cut, or longer', async () => {
    const { createOne, verify } = open()
    const token = tokenOf(await createOne())
    for (let length = 1; length < token.length; length++) {
      expect((await verify(token.slice(0, length))).kind).toBe('forged')
    }
    for (const longer of [`${token}A`, `${token}=`, `${token}\n`, `A${token}`, token.replace('v1.1.', 'v1.1.0')]) {
      expect((await verify(longer)).kind).toBe('forged')
    }
  })

  test('is forged or missing, whatever an unverified sender sends', async () => {
    const { verify } = open()
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), async (text) => {
        expect(['forged', 'missing']).toContain((await verify(text)).kind)
        expect(['forged', 'missing']).toContain((await verify(`/hook?modelrun_token=${text}`)).kind)
      }),
    )
  })

  test('that is too long is forged without any work', async () => {
    const { verify, createOne } = open()
    const cryptography = vi.spyOn(crypto.subtle, 'verify')
    await expect(verify(`${tokenOf(await createOne())}${'A'.repeat(1_000_000)}`)).resolves.toEqual({ kind: 'forged' })
    await expect(verify('v1.1.zz.x.y')).resolves.toEqual({ kind: 'forged' })
    expect(cryptography).not.toHaveBeenCalled()
    cryptography.mockRestore()
  })

  test('is missing in a URL without one', async () => {
    const { verify } = open()
    for (const address of [
      undefined,
      '',
      '/',
      '/hook',
      '/hook?',
      baseUrl,
      '/hook?xmodelrun_token=1',
      '/modelrun_token=1',
    ]) {
      await expect(verify(address)).resolves.toEqual({ kind: 'missing' })
    }
  })

  test('is forged when there are two of them', async () => {
    const { verify, createOne } = open()
    const url = await createOne()
    await expect(verify(`${url}&modelrun_token=${tokenOf(url)}`)).resolves.toEqual({ kind: 'forged' })
  })

  test('is forged at an inbox of another URL or secret', async () => {
    const url = await open().createOne()
    const others: Partial<CallbackTokenOptions>[] = [
      { audience: 'https://other.example.com/hook' },
      { audience: 'https://app.example.com/hook/' },
      { audience: 'http://app.example.com/hook' },
      { secret: { '1': `${secret}!` } },
      { secret: { other: secret } },
    ]
    for (const other of others) await expect(open(other).verify(url)).resolves.toEqual({ kind: 'forged' })
    await expect(open({ audience: `${baseUrl}?a=1#b` }).verify(url)).resolves.toMatchObject({ kind: 'genuine' })
  })

  test('stays genuine while its key is replaced, until the old key is taken out', async () => {
    const [first, second] = [secret, `another ${secret}`]
    const before = open({ secret: first })
    const during = open({ secret: { '2': second, '1': first } })
    const after = open({ secret: { '2': second } })
    const [old, young] = [await before.createOne(), await during.createOne()]
    const kinds = (url: string) =>
      Promise.all([before, during, after].map(async ({ verify }) => (await verify(url)).kind))
    await expect(kinds(old)).resolves.toEqual(['genuine', 'genuine', 'forged'])
    await expect(kinds(young)).resolves.toEqual(['forged', 'genuine', 'genuine'])
  })

  test('makes a key once', async () => {
    const { create, verify } = open()
    const imports = vi.spyOn(crypto.subtle, 'importKey')
    const { url } = await create(baseUrl)
    await Promise.all([verify(url), verify(url), create(baseUrl)])
    expect(imports).toHaveBeenCalledOnce()
    imports.mockRestore()
  })
})
