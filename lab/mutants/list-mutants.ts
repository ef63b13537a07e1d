import { at, itemsOf } from '../../packages/conformance/src/json.ts'
import {
  edited,
  editRequests,
  isFor,
  type Mutation,
  mutants,
  put,
  status,
  take,
  type WireRequest,
  when,
} from './mutation.ts'

const has =
  (name: string, value?: string) =>
  (_: unknown, { url }: WireRequest) =>
    value === undefined ? url.searchParams.has(name) : url.searchParams.get(name) === value
const lacks =
  (name: string) =>
  (_: unknown, { url }: WireRequest) =>
    !url.searchParams.has(name)
const ignores = (name: string) => editRequests('listModels', ({ url }) => url.searchParams.delete(name))
const isMaximum = has('limit', '100')
const isError = ({ status: code }: { status: number }) => code >= 400

function ofPage() {
  return put('', (list: { models: unknown[] }) => ({ ...list, total: itemsOf(list.models).length }))
}

function uncapped(): Mutation {
  return {
    wrap: (send) => async (request) => {
      const limit = Number(request.url.searchParams.get('limit'))
      if (!isFor(request, 'listModels') || limit <= 100) return send(request)
      request.url.searchParams.set('limit', '100')
      const response = await send(request)
      put('/limit', limit)(response, request)
      return response
    },
  }
}

function shift(url: URL): void {
  const offset = Number(url.searchParams.get('offset') ?? 0)
  if (offset > 0) url.searchParams.set('offset', String(offset + 1))
}

/** Leaves out what holds the text there. */
function withoutMatches(pointer: string) {
  return (response: Parameters<ReturnType<typeof put>>[0], request: WireRequest) => {
    const text = request.url.searchParams.get('search')?.toLowerCase() ?? ''
    const isMatch = (model: unknown) => String(at(model, pointer)).toLowerCase().includes(text)
    put('/models', (models: unknown[]) => models.filter((model) => !isMatch(model)))(response, request)
  }
}

/** The list of models, and the shape of responses and errors. */
export const LIST_MUTANTS = mutants([
  ['models/every-list', 'lists models as a map', edited('listModels', put('/models', {}))],
  ['models/every-list', 'calls the list data', edited('listModels', take('/models'))],
  ['models/every-list', 'has no total', edited('listModels', take('/total'))],
  ['models/every-list', 'counts the page in total', edited('listModels', ofPage())],
  [
    'models/every-total',
    'counts the page in total at a limit of 1',
    edited('listModels', when(has('limit', '1'), ofPage())),
  ],
  [
    'models/every-total',
    'counts one model too many',
    edited(
      'listModels',
      put('/total', (total: number) => total + 1),
    ),
  ],
  ['models/every-list', 'has another default limit', edited('listModels', when(lacks('limit'), put('/limit', 50)))],
  ['models/every-list', 'has no limit in its response', edited('listModels', take('/limit'))],
  ['models/every-list', 'ignores the limit', ignores('limit')],
  ['models/every-list', 'says another limit than it applies', edited('listModels', put('/limit', 20))],
  ['models/every-list', 'rejects a limit of 100', edited('listModels', when(isMaximum, status(400)))],
  ['models/every-list', 'caps the limit at 50', edited('listModels', when(isMaximum, put('/limit', 50)))],
  ['models/limit-capped', 'does not cap the limit', uncapped()],
  ['models/every-list', 'always says offset 0', edited('listModels', put('/offset', 0))],
  ['models/every-list', 'has no offset in its response', edited('listModels', take('/offset'))],
  ['models/no-entry-twice', 'ignores the offset', ignores('offset')],
  ['models/every-list', 'skips one model too many', editRequests('listModels', ({ url }) => shift(url))],
  ['models/category', 'ignores the category', ignores('category')],
  ['models/every-total', 'counts all models in the total of a category', edited('listModels', put('/total', 126))],
  ['models/search', 'does not search names', edited('listModels', when(has('search'), withoutMatches('/name')))],
  [
    'models/search',
    'does not search descriptions',
    edited('listModels', when(has('search'), withoutMatches('/description'))),
  ],
  ['models/search-narrows', 'ignores the search', ignores('search')],
  [
    'errors/every-json',
    'calls its JSON a page',
    edited('getModel', ({ headers }) => headers.set('content-type', 'text/html')),
  ],
  ['errors/every-error', 'has a text as the error', edited('getModel', when(isError, put('/error', 'not found')))],
  ['errors/every-error', 'has no code in an error', edited('getJob', when(isError, take('/error/code')))],
  [
    'errors/every-error',
    'has a number as the code of an error',
    edited('runModel', when(isError, put('/error/code', 404))),
  ],
  ['errors/every-error', 'has no message in an error', edited('cancelJob', when(isError, take('/error/message')))],
])
