import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { type CallbackTokenOptions, type CallbackTokens, createCallbackTokens } from './callback-token.ts'

const secret = 'a secret of thirty-two bytes, or more'
const baseUrl = 'https://app.example.com/hook'
const HOUR_MS = 3_600_000
const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/%~ é']

function open(options: Partial<CallbackTokenOptions> = {}) {
  const clock = createManualClock()
  return { clock, ...createCallbackTokens({ secret, audience: baseUrl, clock, ...options }) }
}

const tokenOf = (url: string) => new URL(url).searchParams.get('modelrun_token') ?? ''
const kindOf = async (checked: ReturnType<CallbackTokens['verify']>) => (await checked)?.kind ?? 'forged'
const withToken = (token: string) => `/hook?modelrun_token=${token}`

describe('a created url', () => {
  test('is genuine as a URL, and as a path with its query; each one has a reference of its own', async () => {
    const { create, verify } = open()
    const created = await Promise.all(Array.from({ length: 100 }, () => create(baseUrl)))
    for (const { url, ref } of created) {
      for (const form of [url, url.slice('https://app.example.com'.length)]) {
        await expect(verify(form)).resolves.toEqual({ kind: 'genuine', ref })
      }
    }
    expect(new Set(created.map(({ ref }) => ref)).size).toBe(100)
  })

  test('has the signature that its parts say, and the query of the base without its hash', async () => {
    const { url, ref } = await open().create(`${baseUrl}?a=%20+b&c&a=2#top`)
    const end = ((Date.UTC(2026, 0, 1) + 24 * HOUR_MS) / 1_000).toString(36)
    const mac = createHmac('sha256', secret).update(`modelrun callback\nv1\n1\n${ref}\n${end}\n${baseUrl}`)
    expect(url).toBe(`${baseUrl}?a=%20+b&c&a=2&modelrun_token=v1.1.${end}.${ref}.${mac.digest('base64url')}`)
  })

  test.each<[address: string, problem: string | undefined, allowHttp?: boolean]>([
    ...['http://localhost:3000/hook', 'http://127.0.0.1/', 'http://[::1]:1/', 'http://app.localhost/'].map(
      (local): [string, undefined] => [local, undefined],
    ),
    ['http://app:3000/', undefined, true],
    ['ftp://app:3000/', 'it must start with https://, not ftp://app:3000.', true],
    ['http://app.example.com/hook', 'it must start with https://'],
    ['http://127.0.0.1.example.com/', 'it must start with https://'],
    ['ftp://localhost/', 'it must start with https://'],
    ['https://user:pass@app.example.com/', 'it has a user or a password'],
    ['/hook', 'give a whole one'],
    ['', 'give a whole one'],
    ['https://a.example/?modelrun_token=x', 'it has a token already'],
  ])('of %j has the problem %j', async (address, problem, allowHttp) => {
    const creating = open({ allowHttp }).create(address)
    if (problem === undefined) await expect(creating).resolves.toMatchObject({ url: expect.stringContaining(address) })
    else
      await expect(creating).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(problem) })
  })
})

describe('a token', () => {
  test('counts for 24 hours and a minute, then is expired for six days, then forged', async () => {
    const { create, verify, clock } = open()
    const { url } = await create(baseUrl)
    const kinds: string[] = []
    for (const ms of [24 * HOUR_MS + 60_000, 1, 6 * 24 * HOUR_MS - 60_001, 1]) {
      await clock.advance(ms)
      kinds.push(await kindOf(verify(url)))
    }
    // The job may be forgotten then.
    expect(kinds).toEqual(['genuine', 'expired', 'expired', 'forged'])
  })

  test('ends by the time of day, which a suspended machine or a clock that is set changes', async () => {
    let wall = Date.UTC(2026, 5, 1)
    const { create, verify } = open({ clock: { ...createManualClock(), wallNow: () => wall } })
    const { url } = await create(baseUrl)
    wall += 25 * HOUR_MS
    await expect(verify(url)).resolves.toMatchObject({ kind: 'expired' })
  })

  test('has one form: changed, cut or longer it is forged', async () => {
    const { create, verify } = open()
    const token = tokenOf((await create(baseUrl)).url)
    const changes = [...token].flatMap((_, at) =>
      ALPHABET.filter((one) => one !== token[at]).map((one) => token.slice(0, at) + one + token.slice(at + 1)),
    )
    const cuts = [...token].map((_, length) => token.slice(0, length))
    const longer = [`${token}A`, `${token}=`, `${token}\n`, `A${token}`, token.replace('v1.1.', 'v1.1.0')]
    const kinds = await Promise.all(
      [...changes, ...cuts, ...longer].map(async (one) => await kindOf(verify(withToken(one)))),
    )
    expect(new Set(kinds)).toEqual(new Set(['forged']))
  })

  test('is not one, whatever an unverified sender sends', async () => {
    const { verify } = open()
    const anyText = fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true }))
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        for (const url of [text, withToken(text)]) expect(await verify(url)).toBeUndefined()
      }),
    )
  })

  test('that is too long, or has no signature, is forged without any work', async () => {
    const { verify, create } = open()
    const { url } = await create(baseUrl)
    const cryptography = vi.spyOn(crypto.subtle, 'verify')
    for (const one of [
      `${url}${'A'.repeat(1_000_000)}`,
      withToken('v1.1.zz.x.y'),
      `${url}&modelrun_token=${tokenOf(url)}`,
    ]) {
      await expect(verify(one)).resolves.toBeUndefined()
    }
    expect(cryptography).not.toHaveBeenCalled()
  })

  test.each([undefined, '', '/', '/hook', '/hook?', baseUrl, '/hook?xmodelrun_token=1', '/modelrun_token=1'])(
    'is missing in %j',
    async (address) => {
      await expect(open().verify(address)).resolves.toBeUndefined()
    },
  )

  test.each<[kind: string, at: Partial<CallbackTokenOptions>]>([
    ['genuine', { audience: `${baseUrl}?a=1#b` }],
    ['forged', { audience: 'https://other.example.com/hook' }],
    ['forged', { audience: 'https://app.example.com/hook/' }],
    ['forged', { audience: 'http://app.example.com/hook' }],
    ['forged', { secret: { '1': `${secret}!` } }],
    ['forged', { secret: { other: secret } }],
  ])('is %s at an inbox with %j', async (kind, at) => {
    const { url } = await open().create(baseUrl)
    await expect(kindOf(open(at).verify(url))).resolves.toBe(kind)
  })

  test('stays genuine while its key is replaced, until the old key is taken out', async () => {
    const second = `another ${secret}`
    const inboxes = [open(), open({ secret: { '2': second, '1': secret } }), open({ secret: { '2': second } })] as const
    const kinds = async ({ create }: (typeof inboxes)[number]) => {
      const { url } = await create(baseUrl)
      return await Promise.all(inboxes.map(async ({ verify }) => await kindOf(verify(url))))
    }
    await expect(kinds(inboxes[0])).resolves.toEqual(['genuine', 'genuine', 'forged'])
    await expect(kinds(inboxes[1])).resolves.toEqual(['forged', 'genuine', 'genuine'])
  })

  test('makes a key once', async () => {
    const { create, verify } = open()
    const imports = vi.spyOn(crypto.subtle, 'importKey')
    const { url } = await create(baseUrl)
    await Promise.all([verify(url), verify(url), create(baseUrl)])
    expect(imports).toHaveBeenCalledOnce()
  })
})
