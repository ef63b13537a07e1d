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

/** The message about a model that the catalog does not have. */
export function unknownModelText(id: string, models: ReadonlyMap<string, unknown>): string {
  const closest = closestName(id, models.keys())
  const advice = closest === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${JSON.stringify(closest)}?`
  return `There is no model ${JSON.stringify(id.slice(0, 80))}. ${advice}`
}
