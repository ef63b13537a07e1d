import { at, itemsOf } from '../json.ts'
import { asks, instead } from './edits.ts'
import { always, asked, both, countOf, forgets, has, isLater, isList, list } from './list-edits.ts'
import { liar, type Mutant, put, status, take } from './mutation.ts'

const CATEGORY = '4.1: category is a filter by a category from 2.2'
const SEARCH = '4.1: search is by name or description'
const ENTRY = '4.1: each entry holds id, name, description, category, provider, status, pricing (no input_schema)'
const RESPONSE = '4.1: the response is 200, a JSON object with models, total, limit, offset'

/** Finds only what is among the first models of the catalog. */
function onlyAmongFirst(name: string, count: number) {
  return instead(
    (request) => isList(request) && asked(request, name) !== null,
    async (request, send) => {
      const answer = await send(request)
      const first = new URL(request.url)
      first.search = `limit=${count}`
      const known = itemsOf(at((await send({ ...request, url: first })).json, '/models')).map((model) =>
        at(model, '/id'),
      )
      const models = itemsOf(at(answer.json, '/models')).filter((model) => known.includes(at(model, '/id')))
      put('', (body: object) => ({ ...body, models, total: models.length }))(answer, request)
      return answer
    },
  )
}

/** Cuts a page out of all models first, and filters it then. */
function filtersThePage() {
  return instead(
    (request) => isList(request) && asked(request, 'category') !== null,
    async (request, send) => {
      const category = asked(request, 'category')
      request.url.searchParams.delete('category')
      const answer = await send(request)
      const models = itemsOf(at(answer.json, '/models')).filter((model) => at(model, '/category') === category)
      put('', (body: object) => ({ ...body, models, total: models.length }))(answer, request)
      return answer
    },
  )
}

/** Filters of the list of models, alone and together, and its entries. */
export const FILTER_MUTANTS: readonly Mutant[] = [
  liar(CATEGORY, 'ignores the category of a search', forgets('category', 'search'), 'models/category-and-search'),
  liar(SEARCH, 'ignores the search in a category', forgets('search', 'category')),
  liar(CATEGORY, 'ignores the category on later pages', forgets('category', 'offset')),
  liar(SEARCH, 'ignores the search on later pages', forgets('search', 'offset')),
  liar(
    CATEGORY,
    'ignores the category of small pages',
    asks((query) => Number(query.get('limit')) < 100 && query.delete('category')),
  ),
  liar(
    SEARCH,
    'ignores the search of small pages',
    asks((query) => Number(query.get('limit')) < 100 && query.delete('search')),
  ),
  liar(CATEGORY, 'filters the page instead of the list by category', filtersThePage(), 'models/category-complete'),
  liar(CATEGORY, 'finds a category among the first 20 models only', onlyAmongFirst('category', 20)),
  liar(SEARCH, 'finds names among the first 20 models only', onlyAmongFirst('search', 20), 'models/search-anywhere'),
  liar(
    CATEGORY,
    'knows one category only',
    list(
      (_, request) => !['text-to-image', null].includes(asked(request, 'category')),
      put('/models', []),
      put('/total', 0),
    ),
  ),
  liar(
    CATEGORY,
    'takes speech for audio',
    asks((query) => query.get('category') === 'audio-generation' && query.set('category', 'text-to-speech')),
  ),
  liar(
    CATEGORY,
    'rejects a category beside a search',
    list((_, { url }) => both(url.searchParams, 'category', 'search'), status(400)),
  ),
  liar(SEARCH, 'searches names with a plus sign for each space', {
    ...asks((query) => query.has('search') && query.set('search', String(query.get('search')).replaceAll(' ', '+'))),
  }),
  liar(
    SEARCH,
    'responds 404 when a search finds nothing',
    list((answer) => countOf(answer) === 0, status(404)),
  ),
  liar(
    RESPONSE,
    'has null for no models',
    list((answer) => countOf(answer) === 0, put('/models', null)),
  ),
  liar(RESPONSE, 'responds 206 to a part of the list', list(has('limit'), status(206))),
  liar(RESPONSE, 'has no total in a category', list(has('category'), take('/total'))),
  liar(RESPONSE, 'has no limit in a search', list(has('search'), take('/limit')), 'models/every-list'),
  liar(RESPONSE, 'has the total as text', list(always, put('/total', String))),
  liar(ENTRY, 'has no description on later pages', list(isLater, take('/models/*/description')), 'models/every-entry'),
  liar(ENTRY, 'has no pricing in a search', list(has('search'), take('/models/*/pricing'))),
  liar(
    ENTRY,
    'has the schema in a category',
    list(has('category'), put('/models/*/input_schema', { type: 'object', properties: {}, required: [] })),
  ),
  liar(
    ENTRY,
    'has the schema when one model is asked for',
    list((_, request) => asked(request, 'limit') === '1', put('/models/*/input_schema', {})),
  ),
  liar(ENTRY, 'has no status in a category', list(has('category'), take('/models/*/status'))),
  liar(
    ENTRY,
    'has capitals in the categories of later pages',
    list(
      isLater,
      put('/models/*/category', (category: string) => category.toUpperCase()),
    ),
  ),
  liar(ENTRY, 'has the price beside pricing in one entry', list(always, put('/models/3/pricing', 4))),
  liar(
    ENTRY,
    'lists a model twice on a page',
    list(
      always,
      put('/models', (models: unknown[]) =>
        itemsOf(models).length > 2 ? [models[0], models[0], ...models.slice(2)] : models,
      ),
    ),
    'models/no-entry-twice',
  ),
  liar(ENTRY, 'lists a name instead of an object', list(always, put('/models/2', 'Aurora Image'))),
]
