import type { ListModelsQuery, ModelList, ModelSummary } from '@modelrun/contract'
import type { CatalogModel } from './catalog.ts'

/** What the list needs to know: every number is settled. */
export type ModelFilter = Pick<ListModelsQuery, 'category' | 'search'> & { limit: number; offset: number }

/** One page of the models that match (section 4.1), in the order of the catalog. */
export function listModels(
  catalog: Iterable<CatalogModel>,
  { category, search, limit, offset }: ModelFilter,
): ModelList {
  const wanted = search?.toLowerCase() ?? ''
  const matching = [...catalog].filter(
    (model) => (category === undefined || model.category === category) && mentions(model, wanted),
  )
  return { models: matching.slice(offset, offset + limit).map(summaryOf), total: matching.length, limit, offset }
}

function mentions(model: CatalogModel, wanted: string): boolean {
  return model.name.toLowerCase().includes(wanted) || model.description.toLowerCase().includes(wanted)
}

function summaryOf({ id, name, description, category, provider, status, pricing }: CatalogModel): ModelSummary {
  return { id, name, description, category, provider, status, pricing }
}
