import { describe, expect, it } from 'vitest'
import { createRedactor, isSecretName, redactUrl, replaceApiKeys } from './redact.ts'

describe('the redactor', () => {
  const redactor = createRedactor(['sk_test_abc', 'sk_live_abcdef'])

  it('replaces keys wherever they stand, and keeps their prefix', () => {
    expect(redactor.text('key=sk_test_abc, sk_live_abcdef')).toBe('key=sk_test_[redacted], sk_live_[redacted]')
  })

  it('hides headers that are secrets, and keeps the scheme', () => {
    expect(redactor.header('authorization', 'Bearer unknown')).toBe('Bearer [redacted]')
    expect(redactor.header('set-cookie', 'session=1')).toBe('[redacted]')
    expect(redactor.header('accept', 'a')).toBe('a')
  })

  it('hides the query of addresses in bodies, where file addresses have their signature', () => {
    expect(redactor.text('{"url":"https://files.example/0.png?signature=abc&x=1","n":1}')).toBe(
      '{"url":"https://files.example/0.png?[redacted]","n":1}',
    )
  })

  it('hides members that are named like secrets, but not that there is none', () => {
    expect(redactor.value({ next_token: null, token: 'abc', n: 1 })).toEqual({
      next_token: null,
      token: '[redacted]',
      n: 1,
    })
  })

  it.each([
    ['https://user:pass@a.test/hook?token=secret#part', 'https://[redacted]@a.test/hook?[redacted]'],
    ['https://a.test:8443/hook', 'https://a.test:8443/hook'],
    ['s3://user:pass@bucket/a?token=1', 's3://[redacted]@bucket/a?[redacted]'],
  ])('has no password and query of %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown)
    const body = `{"webhook_url": "${url}"}`
    expect(redactor.text(body)).toBe(`{"webhook_url": "${shown}"}`)
    for (let length = 0; length < body.length; length++) {
      expect(redactor.text(body.slice(0, length))).not.toMatch(/token|:pass@/)
    }
  })
})

it('a text of any shape takes a time of its length: the runner ends what takes its square', () => {
  const redactor = createRedactor(['sk_test_abc'])
  for (const part of ['a+b/', 'a.', '\\', 'https://x', 'https://x/y?a ', 'x:\\', 'sk_', '://@']) {
    redactor.text(part.repeat(200_000))
  }
})

const SECRET = ['Authorization', 'set-cookie', 'x-reference-token', 'token-id', 'client_secret', 'X-API-Key', 'apikey']

it('a secret is known by its name', () => {
  expect([...SECRET, 'content-type', 'max_tokens', 'x-request-id', 'credits'].filter(isSecretName)).toEqual(SECRET)
})

it('replaces keys wherever they stand, also behind an escape of JSON', () => {
  const text = JSON.stringify({ error: 'rejected:\nsk_test_a-b.c and SK_LIVE_D' })
  expect(replaceApiKeys(text, (key) => `<${key.length}>`)).toBe(String.raw`{"error":"rejected:\n<13> and <9>"}`)
})
