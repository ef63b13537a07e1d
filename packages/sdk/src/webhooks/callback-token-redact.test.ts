import { describe, expect, test } from 'vitest'
import { createCallbackTokens, redactCallbackUrl } from './callback-token.ts'

const baseUrl = 'https://app.example.com/hook'

describe('a URL for logs', () => {
  test('shows the reference, and nothing that can be posted with', async () => {
    const { create, verify } = createCallbackTokens({
      secret: 'a secret of thirty-two bytes, or more',
      audience: baseUrl,
    })
    const { url, ref } = await create(`${baseUrl}?a=1`)
    const token = new URL(url).searchParams.get('modelrun_token') ?? ''
    const redacted = redactCallbackUrl(`POST ${url}&b=2 took 3 ms`)
    expect(redacted).toMatch(
      /^POST https:\/\/app\.example\.com\/hook\?a=1&modelrun_token=v1\.1\.\w+\.[\w-]+\.\[redacted\]&b=2/,
    )
    expect(redacted).toContain(ref)
    expect(redacted).not.toContain(token.split('.').at(-1))
    await expect(verify(redacted.split(' ')[1])).resolves.toEqual({ kind: 'forged' })
  })

  test('shows nothing of what is not a token, and leaves other texts alone', () => {
    expect(redactCallbackUrl('/hook?modelrun_token=v1.secret&a=1')).toBe('/hook?modelrun_token=[redacted]&a=1')
    expect(redactCallbackUrl('/hook?token=1')).toBe('/hook?token=1')
  })
})
