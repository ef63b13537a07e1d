import { at, itemsOf } from '../json.ts'
import { asks, hasCode, instead } from './edits.ts'
import { always, asked, countOf, forgets, has, isLater, isList, list } from './list-edits.ts'
import { liar, type Mutant, put, status, type WireAnswer, type WireRequest } from './mutation.ts'

const LIMIT = '4.1: limit is the number of results; default 20; maximum 100'
const OFFSET = '4.1: offset is the pagination offset'
const TOTAL = '4.1: total is the number of matching models'
const APPLIED = '4.1: limit and offset of the response are those applied'

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

/** Pages of the list of models, and what they say of themselves. */
export const PAGE_MUTANTS: readonly Mutant[] = [
  liar(OFFSET, 'ignores the offset of a category', forgets('offset', 'category')),
  liar(OFFSET, 'ignores the offset of a search', forgets('offset', 'search')),
  liar(LIMIT, 'ignores the limit of a category', forgets('limit', 'category')),
  liar(LIMIT, 'ignores the limit of a search', forgets('limit', 'search')),
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
    'models/category-pages',
  ),
  liar(
    TOTAL,
    'counts the page in the total of a search',
    list(has('search'), (answer, request) => put('/total', countOf(answer))(answer, request)),
    'models/search-pages',
  ),
  liar(TOTAL, 'counts all models in the total of a search', list(has('search'), put('/total', 126))),
  liar(
    APPLIED,
    'says how many there are instead of the limit',
    list(always, (answer, request) => put('/limit', countOf(answer))(answer, request)),
    'models/limit-of-last-page',
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
    'models/behind-the-end',
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
    'models/default-page-is-full',
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
    'models/largest-page-is-full',
  ),
  liar(LIMIT, 'returns as many models as asked for', trulyUncapped()),
  liar(
    LIMIT,
    'applies a limit of 20 to whatever is above 20',
    asks((query) => Number(query.get('limit')) > 20 && query.set('limit', '20')),
  ),
]
