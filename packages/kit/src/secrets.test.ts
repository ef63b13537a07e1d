import { expect, it } from 'vitest'
import { isSecretName, replaceApiKeys } from './secrets.ts'

const SECRET = ['Authorization', 'set-cookie', 'x-reference-token', 'token-id', 'client_secret', 'X-API-Key', 'apikey']

it('a secret is known by its name', () => {
  expect([...SECRET, 'content-type', 'max_tokens', 'x-request-id', 'credits'].filter(isSecretName)).toEqual(SECRET)
})

it('replaces keys wherever they stand, also behind an escape of JSON', () => {
  const text = JSON.stringify({ error: 'rejected:\nsk_test_a-b.c and SK_LIVE_D' })
  expect(replaceApiKeys(text, (key) => `<${key.length}>`)).toBe(String.raw`{"error":"rejected:\n<13> and <9>"}`)
})
