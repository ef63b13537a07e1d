import { closestName } from '@modelrun/kit'

/** The message about a model that the catalog does not have. */
export function unknownModelText(id: string, models: ReadonlyMap<string, unknown>): string {
  const closest = closestName(id, models.keys())
  const advice = closest === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${JSON.stringify(closest)}?`
  return `There is no model ${JSON.stringify(id.slice(0, 80))}. ${advice}`
}
