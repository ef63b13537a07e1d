const SECRET_KEY = /sk_(live|test)_\w+/g

/** Text without the API keys in it, whoever made them: of each only `sk_test_…` or `sk_live_…` is left. */
export function redactText(text: string): string {
  return text.includes('sk_') ? text.replace(SECRET_KEY, 'sk_$1_…') : text
}

/** An address without name, password, query and fragment: any of them may hold a token. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return redactText(url)
  const { protocol, host, pathname, search } = new URL(url)
  return redactText(`${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`)
}

/** JSON text of a request without secrets; a piece of one that was cut as well. */
export function redactBody(text: string): string {
  const urls = text.includes('"webhook_url"') ? text.replace(WEBHOOK_URL, redactWebhookUrl) : text
  return redactText(urls)
}

// The closing quote may be cut off.
const WEBHOOK_URL = /("webhook_url"\s*:\s*")((?:[^"\\]|\\.)*)/g

function redactWebhookUrl(_: string, name: string, url: string): string {
  return name + redactUrl(url)
}
