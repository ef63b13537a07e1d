import { KEY_PREFIXES } from '@modelrun/contract'

/**
 * Removes the API key from a response that echoes it. A text that is not longer than the prefix of a key (section 5) is a
 * placeholder, like `test`: replacing it would corrupt results.
 */
export function redact(text: string, apiKey = ''): string {
  if (apiKey.length <= KEY_PREFIXES.live.length) return text
  const plain = text.replaceAll(apiKey, '[redacted]')
  return HAS_ESCAPED_ASCII.test(plain) ? plain.replace(escapedForms(apiKey), '[redacted]') : plain
}

/** JSON may write each character as an escape, and some servers escape each slash. */
const HAS_ESCAPED_ASCII = /\\(u00[2-7]|["/\\])/i

/** The pattern of a text of ASCII in JSON, with any of its characters escaped. */
function escapedForms(text: string): RegExp {
  const forms = Array.from(text, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return String.raw`(?:\\?\x${code}|\\u00${code})`
  })
  return new RegExp(forms.join(''), 'gi')
}
