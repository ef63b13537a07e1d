import { describe, expect, it } from 'vitest'
import { showKey } from '../../domain/show-key.ts'
import { redactBody, redactText, redactUrl } from './redact.ts'

describe('what is recorded', () => {
  it('has no more of a key than its prefix and four letters', () => {
    expect(showKey('sk_test_abcdefghijkl')).toBe('sk_test_abcd…')
    expect(showKey('sk_live_abcdefghijkl')).toBe('sk_live_abcd…')
  })

  it('has no keys in texts', () => {
    const text = 'GET /v1/jobs/sk_live_secret1 {"key":"sk_test_secret2"}'
    expect(redactText(text)).toBe('GET /v1/jobs/sk_live_… {"key":"sk_test_…"}')
    expect(redactText('a risk_free text')).toBe('a risk_free text')
  })

  it.each([
    ['https://user:pass@a.test/hook?token=secret#part', 'https://a.test/hook?…'],
    ['https://a.test:8443/hook', 'https://a.test:8443/hook'],
    ['no address sk_test_secret', 'no address sk_test_…'],
  ])('has no password or query of %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown)
  })

  it('has no tokens of webhooks in bodies, whole or cut', () => {
    const body = '{"input":{"prompt":"?token=kept"}, "webhook_url" : "https://a.test/h?token=secret", "sync":false}'
    const shown = '{"input":{"prompt":"?token=kept"}, "webhook_url" : "https://a.test/h?…", "sync":false}'
    expect(redactBody(body)).toBe(shown)
    for (let length = 0; length < body.length; length++) expect(redactBody(body.slice(0, length))).not.toMatch(/secr/)
  })
})
