import { isSecretName, replaceApiKeys } from '@modelrun/kit'
import type { Header } from './journal-entry.ts'

/** Longer values are cut. */
const MAX_LENGTH = 200

/** Headers for the journal: of a secret only that it was there. */
export function shownHeaders(headers: Iterable<readonly [name: string, value: string]>): Header[] {
  return Array.from(headers, ([name, value]) => [
    name,
    isSecretName(name) ? '…' : redactText(value).slice(0, MAX_LENGTH),
  ])
}

/** Text without API keys: of each only `sk_test_…` or `sk_live_…` is left. */
export function redactText(text: string): string {
  return replaceApiKeys(text, (key) => `${key.slice(0, 'sk_test_'.length)}…`)
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
