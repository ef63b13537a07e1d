import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError } from '@modelrun/kit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkOutputUrls, isSafeOutputUrl } from './output-urls.ts'

const { succeeded, failed } = fixtures.webhooks

const eventOf = (...urls: string[]) => ({
  ...succeeded.body,
  output: { type: 'image', items: urls.map((url) => ({ type: 'image', url })) },
})

describe('a URL of an output (section 2.5)', () => {
  test.each([
    'https://files.example.com/1.png',
    'https://files.example.com:8443/1.png?signature=a#b',
    'https://FILES.example.com./1.png',
    'https://münchen.example/1.png',
    'https://8-8-8-8.example.com/',
    'https://v10-2-3.example.com/',
    'https://files-172-32-0-1.example.com/',
    'https://110-0-0-1.example.com/',
    'https://nip.io.example.com/',
    'https://test.example.com/',
    'https://local.example.com/',
  ])('is safe at a public name: %s', (url) => {
    expect(isSafeOutputUrl(url)).toBe(true)
  })

  test.each([
    'http://files.example.com/1.png',
    'ftp://files.example.com/',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'javascript:1',
    'blob:https://files.example.com/1',
    '/1.png',
    '',
    'https://',
    'https://user@files.example.com/',
    'https://:pass@files.example.com/',
  ])('is not safe unless it is https without a user: %j', (url) => {
    expect(isSafeOutputUrl(url)).toBe(false)
  })

  test.each([
    ['127.0.0.1', 'this machine'],
    ['127.1', 'short'],
    ['2130706433', 'decimal'],
    ['0x7f000001', 'hexadecimal'],
    ['0177.0.0.1', 'octal'],
    ['127.0.0.1.', 'with a dot at its end'],
    ['①②⑦.0.0.1', 'in other digits'],
    ['0.0.0.0', 'any'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.0.1', 'private'],
    ['169.254.169.254', 'metadata of clouds'],
    ['[::1]', 'this machine'],
    ['[::]', 'any'],
    ['[::ffff:127.0.0.1]', 'mapped'],
    ['[::ffff:a9fe:a9fe]', 'mapped'],
    ['[fe80::1]', 'link-local'],
    ['[fd00:ec2::254]', 'metadata of clouds'],
    ['[64:ff9b::7f00:1]', 'translated'],
    ['[2001:db8::1]', 'any other'],
    ['8.8.8.8', 'any other'],
    ['localhost', 'this machine'],
    ['LOCALHOST.', 'this machine'],
    ['app.localhost', 'this machine'],
    ['metadata.google.internal', 'metadata of clouds'],
    ['printer.local', 'a private network'],
    ['intranet', 'a private network'],
    ['1.0.0.127.in-addr.arpa', 'reserved'],
    ['kubernetes.default.svc', 'a cluster'],
    ['db.default.svc.cluster.local', 'a cluster'],
    ['db.service.consul', 'a cluster'],
    ['db.test', 'reserved'],
    ['reference.modelrun.test.', 'reserved'],
    ['printer.home.arpa', 'a private network'],
    ['wiki.lan', 'a private network'],
    ['wiki.intranet', 'a private network'],
    ['127.0.0.1.nip.io', 'this machine'],
    ['app-127-0-0-1.nip.io', 'this machine'],
    ['7f000001.nip.io', 'this machine'],
    ['--1.sslip.io', 'this machine'],
    ['www.10-0-0-1.sslip.io', 'private'],
    ['localtest.me', 'this machine'],
    ['a.localtest.me', 'this machine'],
    ['127.0.0.1.example.com', 'this machine, by any zone'],
    ['app.10-1-2-3.example.com', 'private'],
    ['app10-1-2-3x.example.com', 'private'],
    ['172.16-0.1.example.com', 'private'],
    ['172-31-255-255.example.com', 'private'],
    ['192.168.0.1.nip.example', 'private'],
    ['169-254-169-254.example.com', 'metadata of clouds'],
    ['100.64.0.1.example.com', 'of a provider'],
    ['0-0-0-0.example.com', 'any'],
  ])('is not safe at %s (%s)', (host) => {
    expect(isSafeOutputUrl(`https://${host}/1.png`)).toBe(false)
    expect(isSafeOutputUrl(`https://${host}:8443/1.png`)).toBe(false)
  })

  test('is not safe at a name that holds a private number, however it is cut', () => {
    const part = fc.nat(255)
    const separator = fc.constantFrom('.', '-')
    const start = fc.constantFrom([10], [127], [192, 168], [169, 254], [172, 16], [172, 31], [100, 64], [100, 127])
    const around = fc.constantFrom(['', '.'], ['app.', '.'], ['app-', '-x.'], ['a', 'b.'])
    fc.assert(
      fc.property(start, fc.tuple(part, part, part), fc.tuple(separator, separator, separator), around, (...given) => {
        const [first, rest, separators, [before, after]] = given
        const parts = [...first, ...rest].slice(0, 4)
        const number = parts.map((digits, index) => `${digits}${separators[index] ?? ''}`).join('')
        const host = `${before}${number}${after}example.com`
        expect([host, isSafeOutputUrl(`https://${host}/`)]).toEqual([host, false])
        expect(isSafeOutputUrl(`https://${host}/`, { allowedHosts: ['*.example.com'] })).toBe(true)
      }),
    )
  })

  test('is never safe at a number, however it is written', () => {
    const forms = (address: number) => {
      const parts = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255)
      const [a = 0, b = 0, c = 0, d = 0] = parts
      return [
        parts.join('.'),
        String(address),
        `0x${address.toString(16)}`,
        `0${address.toString(8)}`,
        `${a}.${b}.${(c << 8) | d}`,
        `0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`,
        `[::ffff:${parts.join('.')}]`,
      ]
    }
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (address) => {
        for (const host of forms(address)) expect([host, isSafeOutputUrl(`https://${host}/`)]).toEqual([host, false])
      }),
    )
    fc.assert(fc.property(fc.ipV6(), (address) => !isSafeOutputUrl(`https://[${address}]/`)))
  })
})

describe('a list of allowed hosts', () => {
  const allowedHosts = [
    'files.example.com',
    '*.cdn.example',
    'strict.example:8443',
    '127.0.0.1',
    '[::1]:4010',
    '10.0.0.5',
  ]

  test.each([
    'https://files.example.com/1.png',
    'https://files.example.com:8443/1.png',
    'https://Files.Example.com./1.png',
    'https://a.cdn.example/1.png',
    'https://a.b.cdn.example/1.png',
    'https://strict.example:8443/',
    'https://127.0.0.1/',
    'http://127.0.0.1:4010/v1/files/1.png',
    'http://2130706433/',
    'http://[::1]:4010/',
    'https://10.0.0.5/',
  ])('allows %s', (url) => {
    expect(isSafeOutputUrl(url, { allowedHosts })).toBe(true)
  })

  test.each([
    'https://example.com/',
    'https://other.example.com/',
    'https://files.example.com.evil.example/',
    'https://evilfiles.example.com/',
    'https://evil.example/files.example.com',
    'https://files.example.com@evil.example/',
    'https://user@files.example.com/',
    'http://files.example.com/',
    'https://cdn.example/',
    'https://evilcdn.example/',
    'https://strict.example/',
    'https://strict.example:8444/',
    'http://10.0.0.5/',
    'https://10.0.0.6/',
    'http://localhost:4010/',
    'http://[::1]/',
  ])('rejects %s', (url) => {
    expect(isSafeOutputUrl(url, { allowedHosts })).toBe(false)
  })

  test('that is empty allows nothing', () => {
    expect(isSafeOutputUrl('https://files.example.com/', { allowedHosts: [] })).toBe(false)
  })

  test('may name the port that a scheme has by itself', () => {
    expect(isSafeOutputUrl('https://a.example/', { allowedHosts: ['a.example:443'] })).toBe(true)
    expect(isSafeOutputUrl('http://localhost/', { allowedHosts: ['localhost:80'] })).toBe(true)
  })

  test.each([
    '',
    '*.',
    '*',
    '**.example.com',
    'https://a.example',
    'a.example/path',
    'a@b',
    'a b',
    '*.10.0.0.1',
    'a:b',
  ])('is rejected when it holds %j', (entry) => {
    expect(() => isSafeOutputUrl('https://a.example', { allowedHosts: [entry] })).toThrow(ConfigurationError)
  })
})

describe('the check of an event', () => {
  test('names the items that should not be fetched, and why, without their URLs', () => {
    const event = eventOf('https://a.example/1', 'http://a.example/2', 'https://169.254.169.254/secret')
    expect(checkOutputUrls(event)).toEqual([
      { index: 1, problem: 'it is not https' },
      { index: 2, problem: 'its host is a number instead of a name' },
    ])
    expect(checkOutputUrls(event, { allowedHosts: ['b.example'] })).toHaveLength(3)
  })

  test('finds nothing in a success that is safe, and in events without files', () => {
    expect(checkOutputUrls(succeeded.body)).toEqual([])
    expect(checkOutputUrls(failed.body)).toEqual([])
    expect(checkOutputUrls({ status: 'unknown', job_id: 'job_1', payload: {} })).toEqual([])
  })
})
