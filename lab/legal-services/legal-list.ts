import type { LegalModel } from './legal-catalog.ts'
import { isRejection, type LegalChoices, type Rejection } from './legal-choices.ts'

const DEFAULT_LIMIT = 20
const LARGEST_LIMIT = 100

/** `GET /v1/models` (section 4.1). */
export function legalList(models: readonly LegalModel[], query: URLSearchParams, choices: LegalChoices) {
  const page = pageOf(query, choices)
  if (isRejection(page)) return page
  const category = query.get('category')
  const inCategory = models.filter(({ shown }) => shown.category === (category ?? shown.category))
  const search = query.get('search')
  const found = search === null ? inCategory : ordered(matching(inCategory, search, choices), choices)
  const shown = found.slice(page.offset, page.offset + page.limit).map((model) => model.shown)
  return { models: shown, total: found.length, ...page }
}

function pageOf(query: URLSearchParams, choices: LegalChoices): { limit: number; offset: number } | Rejection {
  const [limit, offset] = [Number(query.get('limit') ?? DEFAULT_LIMIT), Number(query.get('offset') ?? 0)]
  if (limit > LARGEST_LIMIT && isRejection(choices.limitAbove)) return choices.limitAbove
  return { limit: Math.min(limit, LARGEST_LIMIT), offset }
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
