/** What loads when a model is first read. */
import type { InputProperty, InputSchema, ListModelsQuery, Model, ModelList, ModelSummary } from '@modelrun/contract'
import { ROUTES } from '@modelrun/contract'
import { defined, isRecord, memberOf, stringIn } from '@modelrun/kit'
import type { Operation } from '../http/operation.ts'
import { parseJson, wrongShape } from '../http/read-response.ts'

/** The call of `GET /v1/models/{id}` (section 4.2). */
export function getModelOperation(id: string): Operation<Model> {
  return {
    route: ROUTES.getModel,
    parameters: { id },
    read: (received) => {
      const value = parseJson(received)
      const model = readSummary(value)
      if (model === undefined) throw wrongShape('/id', 'a string')
      return { ...model, input_schema: readInputSchema(memberOf(value, 'input_schema')) }
    },
  }
}

/** A page of models. */
export interface ReceivedModels extends ModelList {
  /**
   * Offset of the next page; infinite after an empty page, which is the last one, whatever `total` says. It grows with each page, even
   * when a service ignores the requested offset.
   */
  nextOffset: number
}

/** The call of `GET /v1/models` (section 4.1). An entry without an id is left out: nothing could be done with it. */
export function listModelsOperation(query: ListModelsQuery): Operation<ReceivedModels> {
  return {
    route: ROUTES.listModels,
    query: { ...query },
    read: (received) => {
      const value = parseJson(received)
      const entries = memberOf(value, 'models')
      if (!Array.isArray(entries)) throw wrongShape('/models', 'a list')
      const models = entries.map(readSummary).filter((model) => model !== undefined)
      const entryCount = entries.length
      const offset = readNumber(value, 'offset') ?? query.offset ?? 0
      const limit = readNumber(value, 'limit') ?? query.limit ?? entryCount
      const total = readNumber(value, 'total') ?? -1
      // Without a total only a page that is not full says that it is the last.
      const known = entryCount < limit ? offset + entryCount : Number.POSITIVE_INFINITY
      const nextOffset = Math.max(offset, query.offset ?? 0) + (entryCount || Number.POSITIVE_INFINITY)
      return { models, nextOffset, offset, limit, total: total < 0 ? known : total }
    },
  }
}

/** A model without its invalid members: one of them must not hide a model, nor one model all the others. */
function readSummary(value: unknown): ModelSummary | undefined {
  const id = stringIn(value, 'id')
  if (!isRecord(value) || id === undefined) return undefined
  return {
    ...value,
    id,
    name: stringIn(value, 'name') ?? id,
    description: stringIn(value, 'description') ?? '',
    category: stringIn(value, 'category') ?? '',
    provider: stringIn(value, 'provider') ?? '',
    status: stringIn(value, 'status') ?? '',
    pricing: readPricing(value.pricing),
  }
}

/** A price that is not known is above every limit. So is a negative one, which some services have for a price that varies. */
function readPricing(pricing: unknown): ModelSummary['pricing'] {
  const price = readNumber(pricing, 'credits_per_run') ?? -1
  const credits_per_run = price < 0 ? Number.POSITIVE_INFINITY : price
  return { ...(isRecord(pricing) ? pricing : {}), credits_per_run }
}

function readInputSchema(schema: unknown): InputSchema {
  const { properties, required, ...rest } = isRecord(schema) ? schema : {}
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const described = Object.entries(isRecord(properties) ? properties : {})
  return {
    ...rest,
    type: stringIn(schema, 'type') ?? 'object',
    properties: Object.fromEntries(described.map(([name, property]) => [name, readProperty(property)])),
    ...(required === undefined ? {} : { required: names }),
  }
}

/** A bound or a type that cannot be understood is left to the service. */
function readProperty(property: unknown): InputProperty {
  const { type, description, enum: allowed, minimum, maximum, ...rest } = isRecord(property) ? property : {}
  const read = defined({
    type: typeof type === 'string' || isListOfStrings(type) ? type : undefined,
    description: typeof description === 'string' ? description : undefined,
    enum: Array.isArray(allowed) ? allowed : undefined,
    minimum: toNumber(minimum),
    maximum: toNumber(maximum),
  })
  return { ...rest, ...read }
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function readNumber(value: unknown, name: string): number | undefined {
  return toNumber(memberOf(value, name))
}

/** Some services send numbers as strings. */
function toNumber(value: unknown): number | undefined {
  const isWritten = typeof value === 'string' && value.trim() !== ''
  const number = typeof value === 'number' || isWritten ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
