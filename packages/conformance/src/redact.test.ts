import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

describe('the redactor', () => {
  const redactor = createRedactor(['sk_test_abc', 'sk_live_abcdef'])

  it('replaces keys wherever they stand, and keeps their prefix', () => {
    expect(redactor.text('key=sk_test_abc, sk_live_abcdef')).toBe('key=sk_test_[redacted], sk_live_[redacted]')
  })

  it('hides headers that are secrets, and keeps the scheme', () => {
    const headers = new Headers({ authorization: 'Bearer unknown', 'set-cookie': 'session=1', accept: 'a' })
    expect(redactor.headers(headers)).toEqual({
      accept: 'a',
      authorization: 'Bearer [redacted]',
      'set-cookie': '[redacted]',
    })
  })

  it('hides the query of addresses in bodies, where file addresses have their signature', () => {
    expect(redactor.body('{"url":"https://files.example/0.png?signature=abc&x=1","n":1}')).toBe(
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

  it('cuts long bodies and says so', () => {
    expect(redactor.body('x'.repeat(8_010))).toBe(`${'x'.repeat(8_000)}[10 characters more]`)
  })
})

it('a text of any shape takes no long time', () => {
  const redactor = createRedactor(['sk_test_abc'])
  const texts = ['a+b/', 'a.', '\\', 'https://x', 'https://x/y?a ', 'x:\\', 'sk_', '://@'].map((text) =>
    text.repeat(50_000),
  )
  const startedAt = performance.now()
  for (const text of texts) redactor.body(text)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
