/** What looks like an API key of the service (section 5). */
const KEY = /\bsk_(live|test)_[\w-]+/g

/** Takes API keys out of a text: those that look like one, and the one that is used, whatever it looks like. */
export function redact(text: string, apiKey: string | undefined): string {
  const known = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '[API key]')
  return known.replace(KEY, '[API key]')
}
