import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { updated } from '../../../contract/test/updated-document.ts'
import document from '../../control-openapi.json' with { type: 'json' }
import { faultOptionsSchema } from '../domain/fault-options.ts'
import { scriptedOutcomeSchema, scriptedOutputSchema, scriptedWebhookSchema } from '../domain/scripted-outcome.ts'
import { JOURNAL_KINDS } from '../history/journal-entry.ts'
import { CONTROL_PREFIX, type ControlRoute, QUERIES } from './route.ts'
import { CONTROL_ROUTES, TOKEN_HEADER } from './routes.ts'

const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string) => ({ 'application/json': { schema: reference(name) } })

/** The route checks a fault as everywhere, and only the key beside it. */
const FAULT_BODY = z.extend(faultOptionsSchema, { key: z.optional(z.string()) })

/** The schemas that bodies and responses share. */
const SHARED = {
  Fault: faultOptionsSchema,
  Outcome: scriptedOutcomeSchema,
  Output: scriptedOutputSchema,
  Webhook: scriptedWebhookSchema,
}

/** The body of a call, with its name in the document. */
function bodyOf({ operationId, body }: ControlRoute) {
  const taken = operationId === 'addFault' ? FAULT_BODY : body
  return taken && ([`${capitalized(operationId)}Body`, taken] as const)
}

function operation(route: ControlRoute) {
  const { operationId, name } = route
  const body = bodyOf(route)
  const inPath = Array.from(name.matchAll(/\{(\w+)\}/g), ([, parameter]) => {
    return { name: parameter, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }
  })
  const inQuery = (QUERIES[operationId] ?? []).map((parameter) => {
    const kinds = parameter === 'kind' && { enum: JOURNAL_KINDS }
    return { name: parameter, in: 'query', schema: { type: 'string', ...kinds } }
  })
  const parameters = [...inPath, ...inQuery]
  const failures = [400, 403].map((status) => [status, { $ref: `#/components/responses/error${status}` }])
  return {
    ...{ operationId, tags: ['Control'], security: [{}, { controlToken: [] }] },
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body && { requestBody: { required: !z.safeParse(body[1], {}).success, content: json(body[0]) } }),
    responses: Object.fromEntries(failures),
  }
}

function paths() {
  const paths: Record<string, object> = {}
  for (const route of CONTROL_ROUTES) {
    const path = `${CONTROL_PREFIX}/${route.name}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return paths
}

/** The schemas of bodies by their names, and what they share with responses. */
function schemas(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>()
  const bodies = CONTROL_ROUTES.map(bodyOf).filter((body) => body !== undefined)
  for (const [id, schema] of [...Object.entries(SHARED), ...bodies]) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => reference(id).$ref, io: 'input' })
  // What JavaScript can count to is not a limit of the server.
  const isOurs = (name: string, value: unknown) =>
    !['$schema', '$id', 'readOnly'].includes(name) && value !== Number.MAX_SAFE_INTEGER
  return JSON.parse(JSON.stringify(schemas, (name, value) => (isOurs(name, value) ? value : undefined)))
}

test('control-openapi.json takes what the routes take: `npx vitest run packages/reference-server -u` updates it, but for its texts and responses', async () => {
  const { securitySchemes } = document.components
  const components = { ...document.components, schemas: { ...document.components.schemas, ...schemas() } }
  const current = { ...document, paths: paths(), components }
  const text = JSON.stringify(
    updated({ written: document, current }, { kept: ['description', 'summary', '200', '404', '409'] }),
    null,
    2,
  )
  await expect(`${text}\n`).toMatchFileSnapshot('../../control-openapi.json')
  expect(securitySchemes.controlToken.name).toBe(TOKEN_HEADER)
})
