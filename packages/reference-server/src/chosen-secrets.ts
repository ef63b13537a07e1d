/** How a token of the control API is written. */
export const CONTROL_TOKEN_FORM = '16 to 200 visible ASCII characters'

/** How a test key is written. */
export const TEST_KEY_FORM = 'a test key, sk_test_ and 1 to 100 letters, digits, _ and -'

/** Whether a text can be the token of the control API. A short one could be guessed. */
export function isControlToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]{16,200}$/.test(text)
}

/** Whether a text can be a test key. Live keys cannot be chosen: a key of production does not belong in a test double. */
export function isTestKey(text: unknown): text is string {
  return typeof text === 'string' && /^sk_test_[\w-]{1,100}$/.test(text)
}
