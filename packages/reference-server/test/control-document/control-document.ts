import * as z from 'zod/mini'
import { BODIES, CONTROL_OPERATIONS, QUERY_SCHEMAS } from '../../src/control/operations.ts'
import { CONTROL_PREFIX, type ControlRoute, QUERIES } from '../../src/control/route.ts'
import { CONTROL_ROUTES, TOKEN_HEADER } from '../../src/control/routes.ts'
import { COMPONENTS } from '../../src/control/schemas.ts'
import { MEMBER_TEXTS } from './member-texts.ts'

type JsonObject = { [name: string]: unknown }

const ERROR_TEXTS = {
  400: 'The body or the query is not valid. The message says where.',
  403: 'A call from another machine, through a proxy or to another host needs the control token. Pages of another origin are rejected.',
  404: 'There is no such key, job, fault or delivery.',
  409: 'It is not possible now.',
}

/** The operations of the control API by path and method, and the schemas that they name. */
export function controlCalls() {
  return { paths: paths(), schemas: schemas() }
}

/** The control API as an OpenAPI 3.1 document; `control-openapi.json` is this as text. */
export function controlDocument(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Control API of the modelrun reference server',
      version: '1.0.0',
      summary: 'Steers the reference server from other processes and languages.',
      description:
        'Members are in snake_case. Times are milliseconds of the server’s clock (`_ms`), dates milliseconds since 1970. ' +
        'A body needs no content type, and may be left out where every member may be. Without a `key`, a call means the ' +
        'account of the first key; reset, journal and report mean all accounts.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4010', description: 'Where the command line listens.' }],
    tags: [{ name: 'Control', description: 'Every call.' }],
    paths: paths(),
    components: {
      securitySchemes: {
        controlToken: {
          type: 'apiKey',
          in: 'header',
          name: TOKEN_HEADER,
          description:
            'Needed from another machine, through a proxy and to another host only. The server prints it when it starts.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(ERROR_TEXTS).map(([status, description]) => [
          `error${status}`,
          { description, content: json(reference('ErrorBody')) },
        ]),
      ),
      schemas: schemas(),
    },
  }
}

function paths() {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const route of CONTROL_ROUTES) {
    const path = `${CONTROL_PREFIX}/${route.name}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return paths
}

function operation(route: ControlRoute): JsonObject {
  const { operationId, name } = route
  const [summary, response, ...errors] = CONTROL_OPERATIONS[operationId]
  const body = BODIES[operationId] ?? route.body
  const parameters = [...pathParameters(name), ...queryParameters(QUERIES[operationId])]
  const schema = reference(nameOf(response) ?? `${capitalized(operationId)}Response`)
  return {
    operationId,
    tags: ['Control'],
    summary,
    security: [{}, { controlToken: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(operationId, body) }),
    responses: {
      200: {
        description: 'Done.',
        content: json(schema),
      },
      ...Object.fromEntries(
        [400, 403, ...errors].map((status) => [status, { $ref: `#/components/responses/error${status}` }]),
      ),
    },
  }
}

function requestBody(operationId: string, body: z.ZodMiniType): JsonObject {
  const name = nameOf(body) ?? `${capitalized(operationId)}Body`
  return { required: !z.safeParse(body, {}).success, content: json(reference(name)) }
}

function pathParameters(name: string): JsonObject[] {
  return Array.from(name.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => ({
    name: parameter,
    in: 'path',
    required: true,
    description: textOf('path', 'job_id'),
    schema: { type: 'string', minLength: 1 },
  }))
}

function queryParameters(names: readonly string[] = []): JsonObject[] {
  return names.map((name) => {
    const { $schema: _, ...schema } = z.toJSONSchema(QUERY_SCHEMAS[name] ?? z.string())
    return { name, in: 'query', description: textOf('query', name), schema }
  })
}

/** Every schema by its name: what several calls share, and the body and response of each call. */
function schemas(): JsonObject {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id })
  for (const { operationId, body: ofRoute } of CONTROL_ROUTES) {
    const body = BODIES[operationId] ?? ofRoute
    const [, response] = CONTROL_OPERATIONS[operationId]
    if (body !== undefined && nameOf(body) === undefined) registry.add(body, { id: `${capitalized(operationId)}Body` })
    if (nameOf(response) === undefined) registry.add(response, { id: `${capitalized(operationId)}Response` })
  }
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => reference(id).$ref, io: 'input' })
  const entries = Object.entries(schemas).map(([id, schema]) => [id, describeMembers(id, schema)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds the meaning of each member, at any depth, and removes what the document says once. */
function describeMembers(owner: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => describeMembers(owner, item))
  if (typeof value !== 'object' || value === null) return value
  const { $schema, $id, readOnly, maximum, properties, ...given } = value as JsonObject
  // What JavaScript can count to is not a limit of the server.
  const rest = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? given : { ...given, maximum }
  const others = Object.entries(rest).map(([name, member]) => [name, describeMembers(owner, member)])
  if (typeof properties !== 'object' || properties === null) return Object.fromEntries(others)
  const members = Object.entries(properties).map(([name, schema]) => [name, describeMember(owner, name, schema)])
  return { ...Object.fromEntries(others), properties: Object.fromEntries(members) }
}

function describeMember(owner: string, name: string, schema: unknown): unknown {
  return { description: textOf(owner, name), ...(describeMembers(owner, schema) as object) }
}

/** @throws TypeError for a name without a text */
function textOf(owner: string, name: string): string {
  // A fault is taken with a key beside its members.
  const holder = owner === 'AddFaultBody' && name !== 'key' ? 'Fault' : owner
  const text = MEMBER_TEXTS[`${holder}.${name}`] ?? MEMBER_TEXTS[name]
  if (text === undefined) throw new TypeError(`member-texts.ts has no text for ${name} of ${owner}.`)
  return text
}

function nameOf(schema: z.ZodMiniType): string | undefined {
  return Object.entries(COMPONENTS).find(([, component]) => component === schema)?.[0]
}

function reference(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } }
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
