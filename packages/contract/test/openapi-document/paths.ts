import { LIMITS } from '../../src/limits.ts'
import { ROUTES, type RouteName } from '../../src/routes.ts'
import { listModelsQuerySchemas } from './component-schemas.ts'
import { errorResponses } from './error-responses.ts'
import type { JsonObject } from './json-object.ts'
import { OPERATIONS } from './operations.ts'

/** `paths`: the routes of the contract, in their order. */
export function paths(): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    // the keys of a constant
    const { path, method } = ROUTES[name]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) }
  }
  return paths
}

function operation(name: RouteName): JsonObject {
  const { tag, summary, description, requestBody, responses, errors, callbacks } = OPERATIONS[name]
  const { permission } = ROUTES[name]
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: `${description} Needs the permission \`${permission}\` (section 5; the mapping is not shown).`,
    security: [{ apiKey: [permission] }],
    ...(name === 'listModels' ? { parameters: queryParameters() } : pathParameters(name)),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...responses, ...errorResponses(errors) },
    ...(callbacks === undefined ? {} : { callbacks }),
  }
}

function pathParameters(name: RouteName): JsonObject {
  const [, parameter] = /\{(\w+)\}/.exec(ROUTES[name].path) ?? []
  const notes = OPERATIONS[name].pathParameter
  return {
    parameters: [{ name: parameter, in: 'path', required: true, ...notes, schema: { type: 'string', minLength: 1 } }],
  }
}

function queryParameters(): JsonObject[] {
  return Object.entries(listModelsQuerySchemas()).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    schema: name === 'limit' ? { ...schema, default: LIMITS.modelsPageDefault } : schema,
  }))
}
