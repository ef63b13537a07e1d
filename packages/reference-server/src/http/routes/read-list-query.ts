import { LIMITS, type ListModelsQuery, listModelsQuerySchema } from '@modelrun/contract'
import { describeValue } from '../../domain/describe-value.ts'
import { parseShape } from '../../parse-shape.ts'
import type { Service } from '../../service/service.ts'
import { type AcceptableKind, isAccepted } from '../reject.ts'

/** Not longer, so that it is exact as a number. */
const INTEGER = /^-?\d{1,15}$/
const NAMES = ['category', 'search', 'limit', 'offset']
const LEAST = new Map([
  ['limit', 1],
  ['offset', 0],
])

/** The query of a list of models, or what is wrong with it. */
export type ListQuery =
  | { value: ListModelsQuery; problem?: undefined }
  | { problem: { kind: AcceptableKind; message: string } }

/** Reads the query of `GET /v1/models` (section 4.1). What is accepted although it is wrong is left out. */
export function readListQuery(service: Service, parameters: URLSearchParams): ListQuery {
  const query: Record<string, unknown> = {}
  for (const [name, value] of parameters) {
    const problem = problemOf(parameters, name, value)
    if (problem === undefined) query[name] = LEAST.has(name) ? Number(value) : value
    else if (!isAccepted(service, problem.kind)) return { problem }
    else if (problem.kind === 'limitAboveMaximum') query.limit = LIMITS.modelsPageMax
  }
  const checked = parseShape(listModelsQuerySchema, query)
  if (checked.ok) return checked
  return { problem: { kind: 'oddPage', message: `The query is not right. ${checked.message}` } }
}

function problemOf(
  parameters: URLSearchParams,
  ...[name, value]: [name: string, value: string]
): { kind: AcceptableKind; message: string } | undefined {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!NAMES.includes(name)) {
    return {
      kind: 'unknownQueryParameter',
      message: `The query is not right. It has members that do not exist: ${shown}.`,
    }
  }
  if (parameters.getAll(name).length > 1) return { kind: 'oddPage', message: `The query has ${shown} more than once.` }
  const least = LEAST.get(name)
  if (least === undefined) return undefined
  const wrong = (must: string) => `The query is not right. /${name} must be ${must}.`
  if (!INTEGER.test(value)) return { kind: 'oddPage', message: wrong(`an integer, not ${describeValue(value)}`) }
  if (Number(value) < least) return { kind: 'oddPage', message: wrong(`${least} or more`) }
  const isTooLarge = name === 'limit' && Number(value) > LIMITS.modelsPageMax
  return isTooLarge ? { kind: 'limitAboveMaximum', message: wrong(`${LIMITS.modelsPageMax} or less`) } : undefined
}
