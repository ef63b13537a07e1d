import { replaceApiKeys } from '@modelrun/kit'

/** Takes API keys out of a text: those that look like one, and the one that is used, whatever it looks like. */
export function redact(text: string, apiKey: string | undefined): string {
  const known = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '[API key]')
  return replaceApiKeys(known, () => '[API key]')
}
