import { closestName } from '@modelrun/kit'

/** The id that was probably meant: one that differs in the provider alone, or that is written almost so. */
export function closestModelId(id: string, ids: readonly string[]): string | undefined {
  const part = lastPart(id)
  return ids.find((known) => lastPart(known) === part) ?? closestName(id, ids)
}

/** Of `lumen/aurora-video` the part after the provider, however the slash was encoded. */
function lastPart(id: string): string {
  const parts = id.toLowerCase().split(/\/|%2f/)
  return parts.at(-1) ?? ''
}
