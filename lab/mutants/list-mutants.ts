import { at, itemsOf } from '../../packages/conformance/src/json.ts'
import { type Changes, changes, isSuccess, list, put } from './edits.ts'
import { after, editRequests, instead, isFor, type Mutants, type WireRequest, type WireResponse } from './mutation.ts'

const parameter = ({ url }: WireRequest, name: string) => url.searchParams.get(name)
const has = (name: string, value?: string) => (_: WireResponse, request: WireRequest) => {
  const given = parameter(request, name)
  return value === undefined ? given !== null : given === value
}
const hasNo = (name: string) => (_: WireResponse, request: WireRequest) => parameter(request, name) === null
const isAbove = (limit: number) => limit > 100
const isLater = (_: WireResponse, request: WireRequest) => Number(parameter(request, 'offset')) > 0
const isList = (request: WireRequest) => isFor(request, 'listModels')
const modelsOf = ({ json }: WireResponse) => itemsOf(at(json, '/models'))
const idsOf = (models: readonly unknown[]) => models.map((model) => at(model, '/id'))
const isEmpty = (response: WireResponse) => modelsOf(response).length === 0

const pageSize = (_: unknown, response: WireResponse) => modelsOf(response).length
const whatIsLeft = (total: number, _: WireResponse, request: WireRequest) =>
  Math.max(0, total - Number(parameter(request, 'offset')))
const pageNumber = (offset: number, _: WireResponse, request: WireRequest) =>
  Math.floor(offset / (Number(parameter(request, 'limit')) || 20))

const editQuery = (edit: (query: URLSearchParams) => unknown) =>
  editRequests('listModels', ({ url }) => edit(url.searchParams))
const ignores = (name: string) => editQuery((query) => query.delete(name))
const add = (query: URLSearchParams, name: string, count: number) =>
  query.set(name, String(Number(query.get(name)) + count))

/** Forgets one parameter where another is there. */
const forgets = (name: string, where: string) =>
  editQuery((query) => query.has(where) && query.get(where) !== '0' && query.delete(name))

/** Applies another limit than it says. */
function withLimit(isWanted: (limit: number) => boolean, other: (limit: number) => number) {
  const limitOf = (request: WireRequest) => Number(parameter(request, 'limit') ?? Number.NaN)
  return instead(
    (request) => isList(request) && isWanted(limitOf(request)),
    async (request, { send }) => {
      const limit = limitOf(request)
      request.url.searchParams.set('limit', String(other(limit)))
      const response = await send(request)
      put('/limit', Number.isNaN(limit) ? 20 : limit)(response, request)
      return response
    },
  )
}

/** Each so many-th of what is changed. */
function eachOf(count: number, all: Changes): Changes {
  return changes((edit) => {
    let sent = 0
    return all.edit((response, request) => ++sent % count === 0 && edit(response, request))
  })
}

/** Leaves out what holds the text there. */
function withoutMatches(pointer: string) {
  return (models: readonly unknown[], _: WireResponse, request: WireRequest) => {
    const text = parameter(request, 'search')?.toLowerCase() ?? ''
    return models.filter((model) => !String(at(model, pointer)).toLowerCase().includes(text))
  }
}

/** Asks for another list beside the one that is asked for, and makes the models of both. */
function listing(
  name: string,
  otherQuery: (query: URLSearchParams) => URLSearchParams | undefined,
  choose: (models: readonly unknown[], others: readonly unknown[]) => readonly unknown[],
) {
  return after(async (response, request, { send }) => {
    const query = otherQuery(new URLSearchParams(request.url.search))
    if (!isList(request) || parameter(request, name) === null || query === undefined) return
    const others = await send({ ...request, url: new URL(`?${query}`, request.url) })
    put('/models', choose(modelsOf(response), modelsOf(others)))(response, request)
  })
}

function without(query: URLSearchParams, name: string): URLSearchParams {
  query.delete(name)
  return query
}

/** Finds only what is among the first models of the catalog. */
const onlyAmongFirst = (name: string, count: number) =>
  listing(
    name,
    () => new URLSearchParams({ limit: String(count) }),
    (models, first) => models.filter((model) => idsOf(first).includes(at(model, '/id'))),
  )

/** Returns more than the maximum, and says the maximum. */
function oneMoreThanMaximum() {
  return instead(
    (request) => isList(request) && isAbove(Number(parameter(request, 'limit'))),
    async (request, { send }) => {
      request.url.searchParams.set('limit', '100')
      const response = await send(request)
      put('/models', (models: readonly unknown[]) => [...models, models[0]])(response, request)
      return response
    },
  )
}

const laterWithoutSearch = (query: URLSearchParams) =>
  Number(query.get('offset')) > 0 ? without(query, 'search') : undefined

/** The list of models: its pages and filters, and what they say of themselves. */
export const LIST_MUTANTS: Mutants = {
  'models/every-list': {
    'filters the page instead of the list by category': listing(
      'category',
      (query) => without(query, 'category'),
      (models, page) => page.filter((model) => idsOf(models).includes(at(model, '/id'))),
    ),
    'finds a category among the first 20 models only': onlyAmongFirst('category', 20),
    'lists models as a map': list.put('/models', {}),
    'calls the list data': list.take('/models'),
    'has no total': list.take('/total'),
    'counts the page in total': list.put('/total', pageSize),
    'has another default limit': list.where(hasNo('limit')).put('/limit', 50),
    'has no limit in its response': list.take('/limit'),
    'ignores the limit': ignores('limit'),
    'says another limit than it applies': list.put('/limit', 20),
    'rejects a limit of 100': list.where(has('limit', '100')).status(400),
    'caps the limit at 50': list.where(has('limit', '100')).put('/limit', 50),
    'always says offset 0': list.put('/offset', 0),
    'has no offset in its response': list.take('/offset'),
    'rejects a category beside a search': list.where(has('category')).where(has('search')).status(400),
    'has null for no models': list.where(isEmpty).put('/models', null),
    'responds 206 to a part of the list': list.where(has('limit')).status(206),
    'has no total in a category': list.where(has('category')).take('/total'),
    'has no limit in a search': list.where(has('search')).take('/limit'),
    'has the total as text': list.put('/total', (total: number) => `${total}`),
    'ignores the limit of a category': forgets('limit', 'category'),
    'ignores the limit of a search': forgets('limit', 'search'),
    'says how many there are instead of the limit': list.put('/limit', pageSize),
    'says the limit of a full page on the last page only': list.where(isLater).put('/limit', pageSize),
    'says the limit as text': list.where(has('limit')).put('/limit', (limit: number) => `${limit}`),
    'says the offset as text': list.where(isLater).put('/offset', (offset: number) => `${offset}`),
    'says the number of the page instead of the offset': list.where(isLater).put('/offset', pageNumber),
    'says offset 0 in a category': list.where(has('category')).put('/offset', 0),
    'starts again behind the last page': listing(
      'offset',
      (query) => without(query, 'offset'),
      (models, first) => (models.length === 0 ? first : models),
    ),
    'returns 10 models without a limit': list
      .where(hasNo('limit'))
      .put('/models', (models: unknown[]) => models.slice(0, 10)),
    'returns all models without a limit': withLimit(Number.isNaN, () => 100),
    'returns one model more than the limit': withLimit(
      (limit) => limit < 100,
      (limit) => limit + 1,
    ),
    'returns 50 models at most and says 100': list.put('/models', (models: unknown[]) => itemsOf(models).slice(0, 50)),
  },
  'models/every-total': {
    'counts one more in every second total': eachOf(2, list).put('/total', (total: number) => total + 1),
    'counts the page in total at a limit of 1': list.where(has('limit', '1')).put('/total', pageSize),
    'counts one model too many': list.put('/total', (total: number) => total + 1),
    'counts all models in the total of a category': list.put('/total', 126),
    'counts what is left in total': list.where(isLater).put('/total', whatIsLeft),
    'counts 100 models at most in total': list.put('/total', (total: number) => Math.min(total, 100)),
    'leaves out the last model of later pages': list
      .where(isLater)
      .put('/models', (models: unknown[]) => models.slice(0, -1)),
    'applies a limit of 20 to whatever is above 20': editQuery(
      (query) => Number(query.get('limit')) > 20 && query.set('limit', '20'),
    ),
  },
  'models/limit-capped': {
    'does not cap the limit': withLimit(isAbove, () => 100),
    'returns as many models as asked for': oneMoreThanMaximum(),
  },
  'models/no-entry-twice': {
    'ignores the offset': ignores('offset'),
    'lists a model twice on a page': list.put('/models', (models: unknown[]) =>
      itemsOf(models).length > 2 ? [models[0], models[0], ...models.slice(2)] : models,
    ),
    'ignores the offset of a category': forgets('offset', 'category'),
    'ignores the offset of a search': forgets('offset', 'search'),
    'says that a category starts with its second model': list
      .where(has('category'))
      .where(hasNo('offset'))
      .put('/offset', 1),
    'repeats the last model of the page before': editQuery(
      (query) => Number(query.get('offset')) > 0 && add(query, 'offset', -1),
    ),
    'counts pages instead of models': editQuery((query) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit') ?? 20)]
      if (offset > 0) query.set('offset', String(offset * limit))
    }),
  },
  'models/category': {
    'ignores the category': ignores('category'),
    'ignores the category of a search': forgets('category', 'search'),
    'ignores the category on later pages': forgets('category', 'offset'),
    'ignores the category of small pages': editQuery(
      (query) => Number(query.get('limit')) < 100 && query.delete('category'),
    ),
    'takes speech for audio': editQuery(
      (query) => query.get('category') === 'audio-generation' && query.set('category', 'text-to-speech'),
    ),
  },
  'models/search': {
    'shows other models on later pages of a search': listing('search', laterWithoutSearch, (models, others) =>
      others.slice(0, models.length),
    ),
    'does not search names': list.where(has('search')).put('/models', withoutMatches('/name')),
    'does not search descriptions': list.where(has('search')).put('/models', withoutMatches('/description')),
    'ignores the search in a category': forgets('search', 'category'),
    'ignores the search on later pages': forgets('search', 'offset'),
    'finds names among the first 20 models only': onlyAmongFirst('search', 20),
    'knows one category only': list
      .where((_, request) => !['text-to-image', null].includes(parameter(request, 'category')))
      .edit(put('/models', []), put('/total', 0)),
    'searches names with a plus sign for each space': editQuery(
      (query) => query.has('search') && query.set('search', String(query.get('search')).replaceAll(' ', '+')),
    ),
  },
  'models/search-narrows': {
    'ignores the search': ignores('search'),
    'ignores the search of small pages': editQuery(
      (query) => Number(query.get('limit')) < 100 && query.delete('search'),
    ),
    'counts all models in the total of a search': list.where(has('search')).put('/total', 126),
  },
  'errors/every-error': {
    'responds 404 when a search finds nothing': list.where(isEmpty).status(404),
    'breaks behind the last page': list.where(isSuccess).where(isEmpty).status(500),
  },
  'models/every-entry': {
    'has no description on later pages': list.where(isLater).take('/models/*/description'),
    'has no pricing in a search': list.where(has('search')).take('/models/*/pricing'),
    'has the schema in a category': list
      .where(has('category'))
      .put('/models/*/input_schema', { type: 'object', properties: {}, required: [] }),
    'has the schema when one model is asked for': list.where(has('limit', '1')).put('/models/*/input_schema', {}),
    'has no status in a category': list.where(has('category')).take('/models/*/status'),
    'has capitals in the categories of later pages': list
      .where(isLater)
      .put('/models/*/category', (category: string) => category.toUpperCase()),
    'has the price beside pricing in one entry': list.put('/models/3/pricing', 4),
    'lists a name instead of an object': list.put('/models/2', 'Aurora Image'),
  },
  'errors/not-in-a-success': {
    'has an error beside the models': eachOf(3, list).where(isSuccess).put('/error', { code: 'OK', message: 'No.' }),
  },
}
