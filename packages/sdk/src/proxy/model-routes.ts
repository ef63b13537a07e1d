import type { ListModelsQuery, Model } from '@modelrun/contract'
import { LIMITS, listModelsQuerySchema, modelSchema, modelSummarySchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { failureReply, type Route } from './proxy-core.ts'
import { namedMembers, rejection, reply, unknownModel } from './reply.ts'

/** Not longer, so that it is exact as a number. */
const INTEGER = /^\d{1,15}$/

/** `GET /v1/models` (section 4.1): the allowed models, filtered here. */
export const listModels: Route = async ({ catalog }, visit, { request }) => {
  const checked = readQuery(request.url.searchParams)
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
    const models = matches.slice(offset, offset + limit).map((model) => shownModel(model, modelSummarySchema))
    return reply(200, { models, total: matches.length, limit, offset })
  } catch (error) {
    return failureReply(visit, error)
  }
}

/** `GET /v1/models/{id}` (section 4.2). */
export const getModel: Route = async ({ catalog, options }, visit, { id }) => {
  if (!options.models.includes(id)) return unknownModel()
  try {
    return reply(200, shownModel(await catalog.read(id), modelSchema))
  } catch (error) {
    return failureReply(visit, error)
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

/** A model without what the specification does not name. */
function shownModel(model: Model, schema: { shape: object }): object {
  const { credits_per_run } = model.pricing
  return { ...namedMembers([schema], model), pricing: { credits_per_run } }
}
