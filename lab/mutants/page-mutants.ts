import { at, itemsOf } from '../../packages/conformance/src/json.ts'
import { editQuery, hasCode, instead } from './edits.ts'
import { always, countOf, forgets, has, isLater, isList, list, queryParameter } from './list-edits.ts'
import { mutants, put, status, type WireRequest, type WireResponse } from './mutation.ts'

const LIMIT = '4.1: limit is the number of results; default 20; maximum 100'
const OFFSET = '4.1: offset is the pagination offset'
const TOTAL = '4.1: total is the number of matching models'
const APPLIED = '4.1: limit and offset of the response are those applied'

/** Has no maximum: a larger page is put together from two. */
function trulyUncapped() {
  return instead(
    (request) => isList(request) && Number(queryParameter(request, 'limit')) > 100,
    async (request, send) => {
      const limit = Number(queryParameter(request, 'limit'))
      const page = (size: number, offset: number) => {
        const url = new URL(request.url)
        url.search = `limit=${size}&offset=${offset}`
        return send({ ...request, url })
      }
      const [response, rest] = [await page(100, 0), await page(limit - 100, 100)]
      const models = [...itemsOf(at(response.json, '/models')), ...itemsOf(at(rest.json, '/models'))]
      put('', (body: object) => ({ ...body, models, limit }))(response, request)
      return response
    },
  )
}

/** What a page beyond the end is responded with with. */
function beyondTheEnd(change: (request: WireRequest, response: WireResponse) => void) {
  return instead(
    (request) => isList(request) && Number(queryParameter(request, 'offset')) > 0,
    async (request, send) => {
      const response = await send(request)
      if (countOf(response) > 0) return response
      change(request, response)
      return response.status === 200 && countOf(response) === 0 ? send(request) : response
    },
  )
}

/** Pages of the list of models, and what they say of themselves. */
export const PAGE_MUTANTS = mutants([
  [OFFSET, 'ignores the offset of a category', forgets('offset', 'category')],
  [OFFSET, 'ignores the offset of a search', forgets('offset', 'search')],
  [
    APPLIED,
    'says that a category starts with its second model',
    list((_, request) => has('category')(_, request) && !has('offset')(_, request), put('/offset', 1)),
  ],
  [LIMIT, 'ignores the limit of a category', forgets('limit', 'category')],
  [LIMIT, 'ignores the limit of a search', forgets('limit', 'search')],
  [
    TOTAL,
    'counts what is left in total',
    list(isLater, (response, request) =>
      put('/total', (total: number) => Math.max(0, total - Number(queryParameter(request, 'offset'))))(
        response,
        request,
      ),
    ),
    'models/every-total',
  ],
  [
    TOTAL,
    'counts 100 models at most in total',
    list(
      always,
      put('/total', (total: number) => Math.min(total, 100)),
    ),
  ],
  [
    TOTAL,
    'counts the page in the total of a category',
    list(has('category'), (response, request) => put('/total', countOf(response))(response, request)),
  ],
  [
    TOTAL,
    'counts the page in the total of a search',
    list(has('search'), (response, request) => put('/total', countOf(response))(response, request)),
    'models/every-list',
  ],
  [TOTAL, 'counts all models in the total of a search', list(has('search'), put('/total', 126))],
  [
    APPLIED,
    'says how many there are instead of the limit',
    list(always, (response, request) => put('/limit', countOf(response))(response, request)),
    'models/every-list',
  ],
  [
    APPLIED,
    'says the limit of a full page on the last page only',
    list(isLater, (response, request) => put('/limit', countOf(response))(response, request)),
  ],
  [APPLIED, 'says the limit as text', list(has('limit'), put('/limit', String))],
  [APPLIED, 'says the offset as text', list(isLater, put('/offset', String))],
  [
    APPLIED,
    'says the number of the page instead of the offset',
    list(isLater, (response, request) =>
      put(
        '/offset',
        Math.floor(Number(queryParameter(request, 'offset')) / (Number(queryParameter(request, 'limit')) || 20)),
      )(response, request),
    ),
  ],
  [APPLIED, 'says offset 0 in a category', list(has('category'), put('/offset', 0))],
  [
    OFFSET,
    'starts again behind the last page',
    beyondTheEnd(({ url }, response) => {
      url.searchParams.delete('offset')
      response.status = 200
    }),
    'models/every-list',
  ],
  [
    OFFSET,
    'breaks behind the last page',
    list((response) => countOf(response) === 0 && hasCode(200)(response), status(500)),
  ],
  [
    OFFSET,
    'repeats the last model of the page before',
    editQuery((query) => {
      const offset = Number(query.get('offset'))
      if (offset > 0) query.set('offset', String(offset - 1))
    }),
  ],
  [
    OFFSET,
    'counts pages instead of models',
    editQuery((query) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit') ?? 20)]
      if (offset > 0) query.set('offset', String(offset * limit))
    }),
  ],
  [
    OFFSET,
    'leaves out the last model of later pages',
    list(
      isLater,
      put('/models', (models: unknown[]) => models.slice(0, -1)),
    ),
  ],
  [
    LIMIT,
    'returns 10 models without a limit',
    list(
      (_, request) => queryParameter(request, 'limit') === null,
      put('/models', (models: unknown[]) => models.slice(0, 10)),
    ),
  ],
  [
    LIMIT,
    'returns all models without a limit',
    instead(
      (request) => isList(request) && queryParameter(request, 'limit') === null,
      async (request, send) => {
        request.url.searchParams.set('limit', '100')
        const response = await send(request)
        put('/limit', 20)(response, request)
        return response
      },
    ),
    'models/every-list',
  ],
  [
    LIMIT,
    'returns one model more than the limit',
    instead(
      (request) =>
        isList(request) && Number(queryParameter(request, 'limit')) < 100 && queryParameter(request, 'limit') !== null,
      async (request, send) => {
        const limit = Number(queryParameter(request, 'limit'))
        request.url.searchParams.set('limit', String(limit + 1))
        const response = await send(request)
        put('/limit', limit)(response, request)
        return response
      },
    ),
  ],
  [
    LIMIT,
    'returns 50 models at most and says 100',
    list(
      always,
      put('/models', (models: unknown[]) => itemsOf(models).slice(0, 50)),
    ),
    'models/every-list',
  ],
  [LIMIT, 'returns as many models as asked for', trulyUncapped()],
  [
    LIMIT,
    'applies a limit of 20 to whatever is above 20',
    editQuery((query) => Number(query.get('limit')) > 20 && query.set('limit', '20')),
  ],
])
