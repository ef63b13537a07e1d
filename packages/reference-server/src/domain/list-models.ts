import type { ListModelsQuery, ModelList, ModelSummary } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'
import type { CatalogModel } from './catalog.ts'

/** What the list needs to know: every number is settled. */
type ModelFilter = Pick<ListModelsQuery, 'category' | 'search'> & { limit: number; offset: number }

/** One page of the models that match (section 4.1), in the order of the catalog. */
export function listModels(
  catalog: Iterable<CatalogModel>,
  { category, search = '', limit, offset }: ModelFilter,
): ModelList {
  const wanted = search.toLowerCase()
  const isFound = (text: string) => text.toLowerCase().includes(wanted)
  const matching = [...catalog].filter(
    (model) =>
      (category === undefined || model.category === category) && (isFound(model.name) || isFound(model.description)),
  )
  const models = matching.slice(offset, offset + limit).map(summaryOf)
  return { models, total: matching.length, limit, offset }
}

function summaryOf({ id, name, description, category, provider, status, pricing }: CatalogModel): ModelSummary {
  return { id, name, description, category, provider, status, pricing }
}

/** The id that was probably meant: one that differs in the provider alone, or that is written almost so. */
function closestModelId(id: string, models: ReadonlyMap<string, unknown>): string | undefined {
  // Of `lumen/aurora-video` the part after the provider, however the slash was encoded.
  const part = id
    .toLowerCase()
    .split(/\/|%2f/)
    .at(-1)
  for (const known of models.keys()) if (known === part || known.endsWith(`/${part}`)) return known
  return closestName(id, models.keys())
}

/** The message about a model that the catalog does not have. */
export function unknownModelText(id: string, models: ReadonlyMap<string, unknown>): string {
  const closest = closestModelId(id, models)
  const advice = closest === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${closest}?`
  return `There is no model ${JSON.stringify(id.slice(0, 100))}. ${advice}`
}
