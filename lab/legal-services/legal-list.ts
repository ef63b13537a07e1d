import type { LegalModel } from './legal-catalog.ts'
import { isRejection, type LegalChoices, type Rejection } from './legal-choices.ts'
import { specialPlace, specialQuery } from './legal-special.ts'

const KNOWN = ['category', 'search', 'limit', 'offset']
const DEFAULT_LIMIT = 20
const LARGEST_LIMIT = 100

/** `GET /v1/models` (section 4.1). */
export function legalList(models: readonly LegalModel[], query: URLSearchParams, choices: LegalChoices) {
  const special = specialQuery(query, choices)
  if (special !== undefined) return special
  const page = pageOf(query, choices)
  if (isRejection(page)) return page
  const category = query.get('category')
  const inCategory = filtered(models, category, choices)
  if (isRejection(inCategory)) return inCategory
  const search = query.get('search')
  const found = search === null ? inCategory : ordered(matching(inCategory, search, choices), choices)
  const shown = found.slice(page.offset, page.offset + page.limit).map((model) => model.shown)
  return { models: shown, total: found.length, ...page }
}

function pageOf(query: URLSearchParams, choices: LegalChoices): { limit: number; offset: number } | Rejection {
  if (isRejection(choices.unknownQuery) && [...query.keys()].some((name) => !KNOWN.includes(name))) {
    return choices.unknownQuery
  }
  const [limit, offset] = [integer(query.get('limit'), 1, choices), integer(query.get('offset'), 0, choices)]
  const isBad = limit === 'bad' || offset === 'bad'
  if (isBad && isRejection(choices.badPage)) return choices.badPage
  const wanted = typeof limit === 'number' ? limit : DEFAULT_LIMIT
  if (wanted > LARGEST_LIMIT && isRejection(choices.limitAbove)) return choices.limitAbove
  return { limit: Math.min(wanted, LARGEST_LIMIT), offset: typeof offset === 'number' ? offset : 0 }
}

function integer(text: string | null, minimum: number, choices: LegalChoices): number | 'bad' | undefined {
  if (text === null) return undefined
  const special = specialPlace(text, minimum, choices)
  if (special !== undefined) return special
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  return value >= minimum ? value : 'bad'
}

function filtered(models: readonly LegalModel[], category: string | null, choices: LegalChoices) {
  if (category === null || (category === '' && choices.emptyCategory === 'no filter')) return models
  return category === '' && choices.emptyCategory === 'nothing' ? [] : ofCategory(models, category, choices)
}

function ofCategory(models: readonly LegalModel[], category: string, { unknownCategory }: LegalChoices) {
  const found = models.filter(({ shown }) => shown.category === category)
  const isKnown = /^(text-to-(image|video|speech)|image-to-image|audio-generation)$/.test(category)
  if (isKnown || unknownCategory === 'empty') return found
  return unknownCategory === 'ignored' ? models : unknownCategory
}

function matching(models: readonly LegalModel[], search: string, { searchMatch }: LegalChoices): readonly LegalModel[] {
  const textOf = ({ shown: { name, description } }: LegalModel) => `${name}\n${description}`
  const lower = search.toLowerCase()
  switch (searchMatch) {
    case 'case-sensitive':
      return models.filter((model) => textOf(model).includes(search))
    case 'words':
      return models.filter((model) => wordsOf(lower).every((word) => wordsOf(textOf(model)).includes(word)))
    case 'substring':
      return models.filter((model) => textOf(model).toLowerCase().includes(lower))
    case 'fuzzy': {
      const exact = models.filter((model) => textOf(model).toLowerCase().includes(lower))
      return exact.length > 0 ? exact : models.slice(0, 3)
    }
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[\s.,;:!?/]+/)
}

/** By relevance: some order other than the catalog's. */
function ordered(models: readonly LegalModel[], { searchOrder }: LegalChoices): readonly LegalModel[] {
  return searchOrder === 'catalog' ? models : models.toReversed()
}
