import { ConfigurationError } from '@modelrun/kit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSafeOutputUrl } from './output-urls.ts'

describe('a URL of an output (section 2.5)', () => {
  test('is safe at a public name', () => {
    const hosts =
      'files.example.com files.example.com:8443 FILES.example.com. münchen.example 8-8-8-8.example.com v10-2-3.example.com ' +
      'files-172-32-0-1.example.com 110-0-0-1.example.com nip.io.example.com test.example.com local.example.com'
    for (const host of hosts.split(' '))
      expect([host, isSafeOutputUrl(`https://${host}/1.png?a#b`)]).toEqual([host, true])
  })

  test('is not safe unless it is https without a user', () => {
    const urls =
      'http://files.example.com/1.png ftp://files.example.com/ file:///etc/passwd data:image/png;base64,AAAA javascript:1 ' +
      'blob:https://files.example.com/1 /1.png  https:// https://user@files.example.com/ https://:pass@files.example.com/'
    for (const url of urls.split(' ')) expect([url, isSafeOutputUrl(url)]).toEqual([url, false])
  })

  test.each([
    [
      'this machine',
      '127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.1. ①②⑦.0.0.1 localhost LOCALHOST. app.localhost',
    ],
    ['any machine, or a private one', '0.0.0.0 10.1.2.3 172.16.0.1 192.168.0.1 169.254.169.254 8.8.8.8'],
    [
      'a number of version 6',
      '[::1] [::] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [fe80::1] [fd00:ec2::254] [64:ff9b::7f00:1] [2001:db8::1]',
    ],
    [
      'a name that is not public',
      'metadata.google.internal printer.local intranet 1.0.0.127.in-addr.arpa kubernetes.default.svc db.default.svc.cluster.local ' +
        'db.service.consul db.test reference.modelrun.test. printer.home.arpa wiki.lan wiki.intranet',
    ],
    [
      'a zone that leads to this machine',
      '127.0.0.1.nip.io app-127-0-0-1.nip.io 7f000001.nip.io --1.sslip.io www.10-0-0-1.sslip.io localtest.me a.localtest.me',
    ],
    [
      'a name that contains a private number',
      '127.0.0.1.example.com app.10-1-2-3.example.com app10-1-2-3x.example.com 172.16-0.1.example.com ' +
        '172-31-255-255.example.com 192.168.0.1.nip.example 169-254-169-254.example.com 100.64.0.1.example.com 0-0-0-0.example.com',
    ],
  ])('is not safe at %s', (_, hosts) => {
    for (const host of hosts.split(' ')) {
      const isSafe = ['', ':8443'].map((port) => isSafeOutputUrl(`https://${host}${port}/1.png`))
      expect([host, ...isSafe]).toEqual([host, false, false])
    }
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

  test.each<[isAllowed: boolean, urls: string]>([
    [
      true,
      'https://files.example.com/1.png https://files.example.com:8443/1.png https://Files.Example.com./1.png ' +
        'https://a.cdn.example/1.png https://a.b.cdn.example/1.png https://strict.example:8443/ https://127.0.0.1/ ' +
        'http://127.0.0.1:4010/v1/files/1.png http://2130706433/ http://[::1]:4010/ https://10.0.0.5/',
    ],
    [
      false,
      'https://example.com/ https://other.example.com/ https://files.example.com.evil.example/ https://evilfiles.example.com/ ' +
        'https://evil.example/files.example.com https://files.example.com@evil.example/ https://user@files.example.com/ ' +
        'http://files.example.com/ https://cdn.example/ https://evilcdn.example/ https://strict.example/ ' +
        'https://strict.example:8444/ http://10.0.0.5/ https://10.0.0.6/ http://localhost:4010/ http://[::1]/',
    ],
  ])('is %s for what it should be', (isAllowed, urls) => {
    for (const url of urls.split(' ')) expect([url, isSafeOutputUrl(url, { allowedHosts })]).toEqual([url, isAllowed])
  })

  test('that is empty allows nothing', () => {
    expect(isSafeOutputUrl('https://files.example.com/', { allowedHosts: [] })).toBe(false)
  })

  test('may name the port that a scheme has by itself', () => {
    expect(isSafeOutputUrl('https://a.example/', { allowedHosts: ['a.example:443'] })).toBe(true)
    expect(isSafeOutputUrl('http://localhost/', { allowedHosts: ['localhost:80'] })).toBe(true)
  })

  test('is rejected when an entry is not a host', () => {
    const entries = ['a b', ...' *. * **.example.com https://a.example a.example/path a@b *.10.0.0.1 a:b'.split(' ')]
    for (const entry of entries) {
      expect(() => isSafeOutputUrl('https://a.example', { allowedHosts: [entry] })).toThrow(ConfigurationError)
    }
  })
})
