import type { Assumptions, ListModelsQuery, ModelList, ModelSummary } from '@modelrun/contract'
import { closestName, isRecord, memberOf } from '@modelrun/kit'
import type { CatalogModel } from './catalog.ts'
import { inForm } from './job-field.ts'

type ListMembers = Assumptions['listMembers']

/** What the list needs to know: every number is settled. */
type ModelFilter = Pick<ListModelsQuery, 'category' | 'search'> & {
  limit: number
  offset: number
  listMembers?: ListMembers
} & Partial<Comparison>

/** How a search compares (section 4.1). */
type Comparison = Pick<Assumptions, 'searchCase' | 'searchWords'>

const BETWEEN_WORDS = /[\s.,;:!?/]+/

/** One page of the models that match (section 4.1), in the order of the catalog. */
export function listModels(
  catalog: Iterable<CatalogModel>,
  { category, search, limit, offset, searchCase = 'ignored', searchWords = 'parts', listMembers = {} }: ModelFilter,
): ModelList {
  const matches = matcher(search ?? '', { searchCase, searchWords })
  const matching = [...catalog].filter(
    (model) => (category === undefined || model.category === category) && matches(model),
  )
  const models = matching
    .slice(offset, offset + limit)
    .map((model) => withOwnMembers(model, summaryOf(model), listMembers.entries))
  const next = offset + models.length
  const isLast = next >= matching.length
  const shown = Object.entries((isLast ? listMembers.last : listMembers.more) ?? {})
  const own = shown.map(([name, value]) => [
    name,
    /^next_?offset$/i.test(name) && !isLast ? inForm(next, value) : value,
  ])
  return { ...Object.fromEntries(own), models, total: matching.length, limit, offset }
}

/** A model with members that the specification does not name: those of the catalog, else as an assumption says. */
export function withOwnMembers<Shown extends ModelSummary>(
  model: CatalogModel,
  shown: Shown,
  { pricing, ...members }: NonNullable<ListMembers['entries']> = {},
): Shown {
  const own = Object.entries(members).map(([name, value]) => [name, memberOf(model, name) ?? value])
  return { ...Object.fromEntries(own), ...shown, pricing: { ...(isRecord(pricing) ? pricing : {}), ...shown.pricing } }
}

function matcher(search: string, { searchCase, searchWords }: Comparison): (model: CatalogModel) => boolean {
  const same = (text: string) => (searchCase === 'counts' ? text : text.toLowerCase())
  const wanted = same(search)
  if (searchWords === 'parts')
    return ({ name, description }) => same(name).includes(wanted) || same(description).includes(wanted)
  const wordsOf = (text: string) => text.split(BETWEEN_WORDS).filter((word) => word !== '')
  return ({ name, description }) => {
    const words = new Set(wordsOf(same(`${name} ${description}`)))
    return wordsOf(wanted).every((word) => words.has(word))
  }
}

function summaryOf({ id, name, description, category, provider, status, pricing }: CatalogModel): ModelSummary {
  return { id, name, description, category, provider, status, pricing }
}

/** The id that was probably meant: one that differs in the provider alone, or that is written almost so. */
export function closestModelId(id: string, models: ReadonlyMap<string, unknown>): string | undefined {
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
  const closest = closestName(id, models.keys())
  const advice = closest === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${JSON.stringify(closest)}?`
  return `There is no model ${JSON.stringify(id.slice(0, 80))}. ${advice}`
}
