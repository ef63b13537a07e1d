import { LIMITS, type ListModelsQuery, MODEL_CATEGORIES, type Model } from '@modelrun/contract'
import type { CatalogModel } from '../../domain/catalog.ts'
import { describeValue } from '../../domain/check-value.ts'
import { closestModelId, listModels, withOwnMembers } from '../../domain/list-models.ts'
import type { Service } from '../../service/service.ts'
import type { KeyContext, RouteHandler, RouteResult } from '../app-env.ts'
import { type AcceptableKind, isAccepted, reject } from '../error-responses.ts'
import { firstMistake } from '../first-mistake.ts'
import { jsonReply } from '../messages.ts'

type Lacking = Parameters<RouteHandler>[2]

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

/** `GET /v1/models` (section 4.1). */
export function listModelsRoute(service: Service, context: KeyContext, lacking: Lacking): RouteResult {
  const rejected = lacking()
  if (rejected !== undefined) return rejected
  const { unknownCategory, searchCase, searchWords, listMembers } = service.options.assumptions
  const query = readListQuery(service, new URL(context.req.raw.url).searchParams)
  if (query.problem !== undefined) return reject(service, query.problem.kind, query.problem)
  const { category, search, limit = LIMITS.modelsPageDefault, offset = 0 } = query.value
  const isUnknown = category !== undefined && category !== '' && !KNOWN_CATEGORIES.includes(category)
  if (isUnknown && unknownCategory === 'reject') {
    const message = `The query is not right. /category must be one of ${KNOWN_CATEGORIES.join(', ')}.`
    return reject(service, 'unknownCategory', { message })
  }
  const isEmptyLeftOut = category === '' && service.options.assumptions.rejections.categoryEmpty === 'default'
  const filtered = (isUnknown && unknownCategory === 'all') || isEmptyLeftOut ? undefined : category
  const filter = { category: filtered, search, limit, offset, searchCase, searchWords, listMembers }
  const page = listModels(service.models.values(), filter)
  const beyond = service.options.assumptions.rejections.offsetBeyondEnd
  if (offset <= page.total || beyond === 'asked') return { response: jsonReply(200, page) }
  if (typeof beyond === 'object')
    return reject(service, 'offsetBeyondEnd', { message: 'The offset is behind the end.' })
  const last = { ...filter, offset: beyond === 'default' ? 0 : page.total }
  return { response: jsonReply(200, listModels(service.models.values(), last)) }
}

/** `GET /v1/models/{id}` (section 4.2). */
export function getModelRoute(service: Service, context: KeyContext, lacking: Lacking): RouteResult {
  const modelId = context.req.param('id')
  const model = service.models.get(modelId)
  const unknown = () => (model === undefined ? unknownModel(service, modelId, 'unknownModel') : undefined)
  const rejected = firstMistake(service, { 'models:read': lacking, model: unknown })
  if (rejected !== undefined || model === undefined) return rejected ?? unknownModel(service, modelId, 'unknownModel')
  const { details } = service.options.assumptions.listMembers
  return { modelId, response: jsonReply(200, withOwnMembers(model, wireModel(model), details)) }
}

export function unknownModel(service: Service, modelId: string, kind: 'unknownModel' | 'unknownModelRun'): RouteResult {
  const meant = closestModelId(modelId, service.models)
  const list = 'GET /v1/models lists the models.'
  const message = `There is no model ${JSON.stringify(modelId.slice(0, 100))}. ${meant === undefined ? list : `Did you mean ${meant}?`}`
  return reject(service, kind, { message, modelId })
}

export function wireModel({ output_kind: _, latency_ms: __, outcomes: ___, ...model }: CatalogModel): Model {
  return model
}

/** A place of a page: its least value, and the one where none is asked for. */
const PLACES = {
  limit: { least: 1, most: LIMITS.modelsPageMax, initial: LIMITS.modelsPageDefault },
  offset: { least: 0, most: Number.MAX_SAFE_INTEGER, initial: 0 },
}
const FILTERS = ['category', 'search']

interface QueryProblem {
  kind: AcceptableKind
  message: string
  parameter?: string
}

/** The query of a list of models, or what is wrong with it. */
type ListQuery = { value: ListModelsQuery; problem?: undefined } | { problem: QueryProblem }

/** Reads the query of `GET /v1/models` (section 4.1). What an invalid page means is an assumption; other invalid parameters that are accepted are left out. */
function readListQuery(service: Service, parameters: URLSearchParams): ListQuery {
  const value: ListModelsQuery = {}
  for (const [name, text] of parameters) {
    const problem = problemOf(parameters, name, text)
    if (problem !== undefined && !isAccepted(service, problem.kind)) return { problem: { ...problem, parameter: name } }
    if (name === 'limit' || name === 'offset') value[name] = placeOf(service, { name, text, problem })
    else if (name === 'category' || name === 'search') value[name] = text
  }
  return { value }
}

function placeOf(
  { options }: Service,
  { name, text, problem }: { name: 'limit' | 'offset'; text: string; problem: QueryProblem | undefined },
): number | undefined {
  const place = PLACES[name]
  const asked = problem?.kind === 'pageMixed' ? Number.parseInt(text, 10) : Number(text)
  if (problem === undefined) return asked
  const choice = options.assumptions.rejections[problem.kind]
  if (choice === 'default' || !Number.isFinite(asked)) return place.initial
  if (choice === 'asked') return asked
  return Math.min(place.most, Math.max(place.least, Math.trunc(asked)))
}

function problemOf(parameters: URLSearchParams, name: string, text: string): QueryProblem | undefined {
  const shown = JSON.stringify(name.slice(0, 60))
  const isPlace = name === 'limit' || name === 'offset'
  if (!isPlace && !FILTERS.includes(name)) {
    const message = `The query is not right. It has members that do not exist: ${shown}.`
    return { kind: 'unknownQueryParameter', message }
  }
  if (parameters.getAll(name).length > 1) {
    return { kind: name === 'offset' ? 'offsetText' : 'limitText', message: `The query has ${shown} more than once.` }
  }
  if (name === 'category' && text === '')
    return { kind: 'categoryEmpty', message: 'The query is not right. /category is empty.' }
  const found = isPlace ? invalidPlace(name, text) : undefined
  return found && { kind: found[0], message: `The query is not right. /${name} must be ${found[1]}.` }
}

const NUMBER = /^-?\d+(\.\d+)?$/

/** What is wrong with a limit or an offset, and what it must be. */
function invalidPlace(name: 'limit' | 'offset', text: string): readonly [AcceptableKind, string] | undefined {
  const { least, most } = PLACES[name]
  const asked = Number(text)
  if (text === '') return [name === 'limit' ? 'pageEmpty' : 'offsetEmpty', 'an integer, and not empty']
  if (!NUMBER.test(text))
    return [/^-?\d/.test(text) ? 'pageMixed' : `${name}Text`, `an integer, not ${describeValue(text)}`]
  if (text.includes('.')) return ['pageFraction', `an integer, not ${describeValue(text)}`]
  if (asked < 0) return [`${name}Negative`, `${least} or more`]
  if (asked < least) return ['limitZero', `${least} or more`]
  return asked > most ? [name === 'limit' ? 'limitAboveMaximum' : 'offsetBeyondEnd', `${most} or less`] : undefined
}
