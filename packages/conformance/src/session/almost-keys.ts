/** Keys that differ from the right one as little as can be, by what is wrong with them. */
export function almostKeys(apiKey: string): Record<string, string> {
  const keys = {
    'a key with one character more': `${apiKey}x`,
    'a key with one character less': apiKey.slice(0, -1),
    'a key with another last character': `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`,
    'a key in other letter case': inOtherCase(apiKey),
  }
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== apiKey && key !== ''))
}

/** The prefix stays as it is: it is not secret. */
function inOtherCase(apiKey: string): string {
  const prefix = /^sk_(live|test)_/.exec(apiKey)?.[0] ?? ''
  const secret = apiKey.slice(prefix.length)
  return `${prefix}${secret === secret.toUpperCase() ? secret.toLowerCase() : secret.toUpperCase()}`
}
