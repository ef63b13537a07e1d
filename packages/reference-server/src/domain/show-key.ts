/** So many letters of a key that this server made tell its tenants apart, and tell no secret. */
const SHOWN_LETTERS = 4

/** An API key that this server made, as it may be shown: `sk_test_ab12…`. */
export function showKey(key: string): string {
  const [prefix = ''] = /^sk_(?:live|test)_/.exec(key) ?? []
  return `${key.slice(0, prefix.length + SHOWN_LETTERS)}…`
}
