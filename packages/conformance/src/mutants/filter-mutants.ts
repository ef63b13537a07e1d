import { at, itemsOf } from '../json.ts'
import { asks, hasCode, instead } from './edits.ts'
import {
  answers,
  isFor,
  liar,
  type Mutant,
  put,
  status,
  take,
  type WireAnswer,
  type WireRequest,
  when,
} from './mutation.ts'

const CATEGORY = '4.1: category is a filter by a category from 2.2'
const SEARCH = '4.1: search is by name or description'
const LIMIT = '4.1: limit is the number of results; default 20; maximum 100'
const OFFSET = '4.1: offset is the pagination offset'
const TOTAL = '4.1: total is the number of matching models'
const APPLIED = '4.1: limit and offset of the response are those applied'
const ENTRY = '4.1: each entry holds id, name, description, category, provider, status, pricing (no input_schema)'
const RESPONSE = '4.1: the response is 200, a JSON object with models, total, limit, offset'

const asked = ({ url }: WireRequest, name: string) => url.searchParams.get(name)
const has = (name: string) => (_: unknown, request: WireRequest) => asked(request, name) !== null
const isLater = (_: unknown, request: WireRequest) => Number(asked(request, 'offset')) > 0
const list = (...edits: Parameters<typeof when>) => answers('listModels', when(...edits))
const always = () => true
const both = (query: URLSearchParams, ...names: string[]) => names.every((name) => query.has(name))
const isList = (request: WireRequest) => isFor(request, 'listModels')
const countOf = ({ json }: WireAnswer) => itemsOf(at(json, '/models')).length

/** Forgets one parameter where another is there. */
function forgets(name: string, where: string) {
  return asks((query) => {
    if (both(query, name, where) && query.get(where) !== '0') query.delete(name)
  })
}

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

/** Has no maximum: a larger page is put together from two. */
function trulyUncapped() {
  return instead(
    (request) => isList(request) && Number(asked(request, 'limit')) > 100,
    async (request, send) => {
      const limit = Number(asked(request, 'limit'))
      const page = (size: number, offset: number) => {
        const url = new URL(request.url)
        url.search = `limit=${size}&offset=${offset}`
        return send({ ...request, url })
      }
      const [answer, rest] = [await page(100, 0), await page(limit - 100, 100)]
      const models = [...itemsOf(at(answer.json, '/models')), ...itemsOf(at(rest.json, '/models'))]
      put('', (body: object) => ({ ...body, models, limit }))(answer, request)
      return answer
    },
  )
}

/** What a page beyond the end is answered with. */
function beyondTheEnd(change: (request: WireRequest, answer: WireAnswer) => void) {
  return instead(
    (request) => isList(request) && Number(asked(request, 'offset')) > 0,
    async (request, send) => {
      const answer = await send(request)
      if (countOf(answer) > 0) return answer
      change(request, answer)
      return answer.status === 200 && countOf(answer) === 0 ? send(request) : answer
    },
  )
}

/** The list of models: filters together, pages of filters, pages beyond the first. */
export const FILTER_MUTANTS: readonly Mutant[] = [
  liar(CATEGORY, 'ignores the category of a search', forgets('category', 'search')),
  liar(SEARCH, 'ignores the search in a category', forgets('search', 'category')),
  liar(CATEGORY, 'ignores the category on later pages', forgets('category', 'offset')),
  liar(SEARCH, 'ignores the search on later pages', forgets('search', 'offset')),
  liar(OFFSET, 'ignores the offset of a category', forgets('offset', 'category')),
  liar(OFFSET, 'ignores the offset of a search', forgets('offset', 'search')),
  liar(LIMIT, 'ignores the limit of a category', forgets('limit', 'category')),
  liar(LIMIT, 'ignores the limit of a search', forgets('limit', 'search')),
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
  liar(CATEGORY, 'filters the page instead of the list by category', filtersThePage()),
  liar(CATEGORY, 'finds a category among the first 20 models only', onlyAmongFirst('category', 20)),
  liar(SEARCH, 'finds names among the first 20 models only', onlyAmongFirst('search', 20)),
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
    'refuses a category beside a search',
    list((_, { url }) => both(url.searchParams, 'category', 'search'), status(400)),
  ),
  liar(SEARCH, 'searches names with a plus sign for each space', {
    ...asks((query) => query.has('search') && query.set('search', String(query.get('search')).replaceAll(' ', '+'))),
  }),
  liar(
    SEARCH,
    'answers 404 when a search finds nothing',
    list((answer) => countOf(answer) === 0, status(404)),
  ),
  liar(
    RESPONSE,
    'has null for no models',
    list((answer) => countOf(answer) === 0, put('/models', null)),
  ),
  liar(RESPONSE, 'answers 206 to a part of the list', list(has('limit'), status(206))),
  liar(RESPONSE, 'has no total in a category', list(has('category'), take('/total'))),
  liar(RESPONSE, 'has no limit in a search', list(has('search'), take('/limit'))),
  liar(RESPONSE, 'has the total as text', list(always, put('/total', String))),
  liar(
    TOTAL,
    'counts what is left in total',
    list(isLater, (answer, request) =>
      put('/total', (total: number) => Math.max(0, total - Number(asked(request, 'offset'))))(answer, request),
    ),
  ),
  liar(
    TOTAL,
    'counts 100 models at most in total',
    list(
      always,
      put('/total', (total: number) => Math.min(total, 100)),
    ),
  ),
  liar(
    TOTAL,
    'counts the page in the total of a category',
    list(has('category'), (answer, request) => put('/total', countOf(answer))(answer, request)),
  ),
  liar(
    TOTAL,
    'counts the page in the total of a search',
    list(has('search'), (answer, request) => put('/total', countOf(answer))(answer, request)),
  ),
  liar(TOTAL, 'counts all models in the total of a search', list(has('search'), put('/total', 126))),
  liar(
    APPLIED,
    'says how many there are instead of the limit',
    list(always, (answer, request) => put('/limit', countOf(answer))(answer, request)),
  ),
  liar(
    APPLIED,
    'says the limit of a full page on the last page only',
    list(isLater, (answer, request) => put('/limit', countOf(answer))(answer, request)),
  ),
  liar(APPLIED, 'says the limit as text', list(has('limit'), put('/limit', String))),
  liar(APPLIED, 'says the offset as text', list(isLater, put('/offset', String))),
  liar(
    APPLIED,
    'says the number of the page instead of the offset',
    list(isLater, (answer, request) =>
      put('/offset', Math.floor(Number(asked(request, 'offset')) / (Number(asked(request, 'limit')) || 20)))(
        answer,
        request,
      ),
    ),
  ),
  liar(APPLIED, 'says offset 0 in a category', list(has('category'), put('/offset', 0))),
  liar(
    OFFSET,
    'starts again behind the last page',
    beyondTheEnd(({ url }, answer) => {
      url.searchParams.delete('offset')
      answer.status = 200
    }),
  ),
  liar(
    OFFSET,
    'breaks behind the last page',
    list((answer) => countOf(answer) === 0 && hasCode(200)(answer), status(500)),
  ),
  liar(
    OFFSET,
    'repeats the last model of the page before',
    asks((query) => {
      const offset = Number(query.get('offset'))
      if (offset > 0) query.set('offset', String(offset - 1))
    }),
  ),
  liar(
    OFFSET,
    'counts pages instead of models',
    asks((query) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit') ?? 20)]
      if (offset > 0) query.set('offset', String(offset * limit))
    }),
  ),
  liar(
    OFFSET,
    'leaves out the last model of later pages',
    list(
      isLater,
      put('/models', (models: unknown[]) => models.slice(0, -1)),
    ),
  ),
  liar(
    LIMIT,
    'returns 10 models without a limit',
    list(
      (_, request) => asked(request, 'limit') === null,
      put('/models', (models: unknown[]) => models.slice(0, 10)),
    ),
  ),
  liar(
    LIMIT,
    'returns all models without a limit',
    instead(
      (request) => isList(request) && asked(request, 'limit') === null,
      async (request, send) => {
        request.url.searchParams.set('limit', '100')
        const answer = await send(request)
        put('/limit', 20)(answer, request)
        return answer
      },
    ),
  ),
  liar(
    LIMIT,
    'returns one model more than the limit',
    instead(
      (request) => isList(request) && Number(asked(request, 'limit')) < 100 && asked(request, 'limit') !== null,
      async (request, send) => {
        const limit = Number(asked(request, 'limit'))
        request.url.searchParams.set('limit', String(limit + 1))
        const answer = await send(request)
        put('/limit', limit)(answer, request)
        return answer
      },
    ),
  ),
  liar(
    LIMIT,
    'returns 50 models at most and says 100',
    list(
      always,
      put('/models', (models: unknown[]) => itemsOf(models).slice(0, 50)),
    ),
  ),
  liar(LIMIT, 'returns as many models as asked for', trulyUncapped()),
  liar(
    LIMIT,
    'applies a limit of 20 to whatever is above 20',
    asks((query) => Number(query.get('limit')) > 20 && query.set('limit', '20')),
  ),
  liar(ENTRY, 'has no description on later pages', list(isLater, take('/models/*/description'))),
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
  ),
  liar(ENTRY, 'lists a name instead of an object', list(always, put('/models/2', 'Aurora Image'))),
]
