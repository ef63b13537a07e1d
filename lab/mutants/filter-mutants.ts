import { at, itemsOf } from '../../packages/conformance/src/json.ts'
import { editQuery, instead } from './edits.ts'
import { always, both, countOf, forgets, has, isLater, isList, list, queryParameter } from './list-edits.ts'
import { mutants, put, status, take } from './mutation.ts'

const CATEGORY = '4.1: category is a filter by a category from 2.2'
const SEARCH = '4.1: search is by name or description'
const ENTRY = '4.1: each entry holds id, name, description, category, provider, status, pricing (no input_schema)'
const RESPONSE = '4.1: the response is 200, a JSON object with models, total, limit, offset'

/** Finds only what is among the first models of the catalog. */
function onlyAmongFirst(name: string, count: number) {
  return instead(
    (request) => isList(request) && queryParameter(request, name) !== null,
    async (request, send) => {
      const response = await send(request)
      const first = new URL(request.url)
      first.search = `limit=${count}`
      const known = itemsOf(at((await send({ ...request, url: first })).json, '/models')).map((model) =>
        at(model, '/id'),
      )
      const models = itemsOf(at(response.json, '/models')).filter((model) => known.includes(at(model, '/id')))
      put('', (body: object) => ({ ...body, models, total: models.length }))(response, request)
      return response
    },
  )
}

/** Cuts a page out of all models first, and filters it then. */
function filtersThePage() {
  return instead(
    (request) => isList(request) && queryParameter(request, 'category') !== null,
    async (request, send) => {
      const category = queryParameter(request, 'category')
      request.url.searchParams.delete('category')
      const response = await send(request)
      const models = itemsOf(at(response.json, '/models')).filter((model) => at(model, '/category') === category)
      put('', (body: object) => ({ ...body, models, total: models.length }))(response, request)
      return response
    },
  )
}

/** Filters of the list of models, alone and together, and its entries. */
export const FILTER_MUTANTS = mutants([
  [CATEGORY, 'ignores the category of a search', forgets('category', 'search'), 'models/category'],
  [SEARCH, 'ignores the search in a category', forgets('search', 'category')],
  [CATEGORY, 'ignores the category on later pages', forgets('category', 'offset')],
  [SEARCH, 'ignores the search on later pages', forgets('search', 'offset')],
  [
    CATEGORY,
    'ignores the category of small pages',
    editQuery((query) => Number(query.get('limit')) < 100 && query.delete('category')),
  ],
  [
    SEARCH,
    'ignores the search of small pages',
    editQuery((query) => Number(query.get('limit')) < 100 && query.delete('search')),
  ],
  [CATEGORY, 'filters the page instead of the list by category', filtersThePage(), 'models/every-total'],
  [CATEGORY, 'finds a category among the first 20 models only', onlyAmongFirst('category', 20)],
  [SEARCH, 'finds names among the first 20 models only', onlyAmongFirst('search', 20), 'models/search'],
  [
    CATEGORY,
    'knows one category only',
    list(
      (_, request) => !['text-to-image', null].includes(queryParameter(request, 'category')),
      put('/models', []),
      put('/total', 0),
    ),
  ],
  [
    CATEGORY,
    'takes speech for audio',
    editQuery((query) => query.get('category') === 'audio-generation' && query.set('category', 'text-to-speech')),
  ],
  [
    CATEGORY,
    'rejects a category beside a search',
    list((_, { url }) => both(url.searchParams, 'category', 'search'), status(400)),
  ],
  [
    SEARCH,
    'searches names with a plus sign for each space',
    {
      ...editQuery(
        (query) => query.has('search') && query.set('search', String(query.get('search')).replaceAll(' ', '+')),
      ),
    },
  ],
  [SEARCH, 'responds 404 when a search finds nothing', list((response) => countOf(response) === 0, status(404))],
  [RESPONSE, 'has null for no models', list((response) => countOf(response) === 0, put('/models', null))],
  [RESPONSE, 'responds 206 to a part of the list', list(has('limit'), status(206)), 'models/every-list'],
  [RESPONSE, 'has no total in a category', list(has('category'), take('/total'))],
  [RESPONSE, 'has no limit in a search', list(has('search'), take('/limit')), 'models/every-list'],
  [RESPONSE, 'has the total as text', list(always, put('/total', String))],
  [ENTRY, 'has no description on later pages', list(isLater, take('/models/*/description')), 'models/every-entry'],
  [ENTRY, 'has no pricing in a search', list(has('search'), take('/models/*/pricing'))],
  [
    ENTRY,
    'has the schema in a category',
    list(has('category'), put('/models/*/input_schema', { type: 'object', properties: {}, required: [] })),
  ],
  [
    ENTRY,
    'has the schema when one model is asked for',
    list((_, request) => queryParameter(request, 'limit') === '1', put('/models/*/input_schema', {})),
  ],
  [ENTRY, 'has no status in a category', list(has('category'), take('/models/*/status'))],
  [
    ENTRY,
    'has capitals in the categories of later pages',
    list(
      isLater,
      put('/models/*/category', (category: string) => category.toUpperCase()),
    ),
  ],
  [ENTRY, 'has the price beside pricing in one entry', list(always, put('/models/3/pricing', 4))],
  [
    ENTRY,
    'lists a model twice on a page',
    list(
      always,
      put('/models', (models: unknown[]) =>
        itemsOf(models).length > 2 ? [models[0], models[0], ...models.slice(2)] : models,
      ),
    ),
    'models/no-entry-twice',
  ],
  [ENTRY, 'lists a name instead of an object', list(always, put('/models/2', 'Aurora Image'))],
])
