import { LIMITS, type ListModelsQuery, listModelsQuerySchema, type Model, type ModelSummary } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { ProxyCore, Visit } from './proxy-core.ts'
import { failureResponse, isForOperator, rejection, reply, unknownModel } from './reply.ts'

/** Not longer, so that it is exact as a number. */
const INTEGER = /^\d{1,15}$/

/** `GET /v1/models` (section 4.1): the allowed models, filtered here. */
export async function listModels({ catalog }: ProxyCore, visit: Visit, query: URLSearchParams): Promise<Response> {
  const checked = readQuery(query)
  if (checked === undefined) {
    return rejection(400, [
      'VALIDATION_ERROR',
      'The query takes category, search, limit (1 to 100) and offset, each once.',
    ])
  }
  const { category, search = '', limit = LIMITS.modelsPageDefault, offset = 0 } = checked
  const isMatch = (model: Model) => (category === undefined || model.category === category) && mentions(model, search)
  try {
    const matches = (await catalog.readAll()).filter(isMatch)
    const models = matches.slice(offset, offset + limit).map(summaryOf)
    return reply(200, { models, total: matches.length, limit, offset })
  } catch (error) {
    visit.report(error)
    return failureResponse(error, { isRun: false })
  }
}

/** `GET /v1/models/{id}` (section 4.2). */
export async function getModel({ catalog }: ProxyCore, visit: Visit, id: string): Promise<Response> {
  if (!catalog.has(id)) return unknownModel()
  try {
    const model = await catalog.read(id)
    return reply(200, { ...summaryOf(model), input_schema: model.input_schema })
  } catch (error) {
    if (isForOperator(error)) visit.report(error)
    return failureResponse(error, { isRun: false })
  }
}

function readQuery(query: URLSearchParams): ListModelsQuery | undefined {
  const names = [...query.keys()]
  if (new Set(names).size < names.length) return undefined
  const isNumeric = (name: string) => name === 'limit' || name === 'offset'
  const values = [...query].map(([name, value]) => [
    name,
    isNumeric(name) && INTEGER.test(value) ? Number(value) : value,
  ])
  return z.safeParse(listModelsQuerySchema, Object.fromEntries(values)).data
}

function mentions({ name, description }: Model, search: string): boolean {
  return `${name}\n${description}`.toLowerCase().includes(search.toLowerCase())
}

/** Members are named one by one: a member that the service adds later does not reach pages until it is listed here. */
function summaryOf({ id, name, description, category, provider, status, pricing }: Model): ModelSummary {
  const { credits_per_run } = pricing
  return { id, name, description, category, provider, status, pricing: { credits_per_run } }
}
