/** Whether a header or a member of this name holds a secret. `max_tokens` does not. */
export function isSecretName(name: string): boolean {
  return /authorization|cookie|token(?!s)|secret|password|api[-_]?key/i.test(name)
}

/** Without a word boundary before it: in JSON text, a key may follow the letter of an escape, such as `\n`. */
const API_KEY = /sk_(live|test)_[\w.~+/=-]+/gi

/** Replaces everything that looks like an API key of the service (section 5), known or not. */
export function replaceApiKeys(text: string, show: (key: string) => string): string {
  return /sk_/i.test(text) ? text.replace(API_KEY, show) : text
}
