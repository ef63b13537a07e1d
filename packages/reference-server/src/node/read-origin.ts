/** An origin as browsers write it, or `*` for all of them; `undefined` for anything else. */
export function readOrigin(text: string): string | undefined {
  if (text === '*') return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isOrigin ? url.origin : undefined
}
