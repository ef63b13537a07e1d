import * as contract from '@modelrun/contract'
import { type Fixture, fixtures } from '@modelrun/contract/fixtures'
import { openApiDocument } from '@modelrun/contract/openapi'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { isObject, type JsonObject, updated } from '../test/updated-document.ts'
import { outputItemSchema } from './job.ts'
import { inputPropertySchema, inputSchemaSchema, modelPricingSchema } from './model.ts'

const { ROUTES } = contract

/** Keywords that only the document has: texts, known values, and the specification's rules for whole objects. */
const OF_DOCUMENT = ['description', 'examples', 'format', 'default', 'allOf']

/** Members that the specification describes and a client does not check, as each check is in the bundle of every user. */
const STRICTER = [
  'InputSchema/required',
  'InputSchema/properties/type',
  'Job/properties/output',
  'Job/properties/error',
]

/** What only other schemas hold, and the document names. */
const PARTS = { inputPropertySchema, inputSchemaSchema, modelPricingSchema, outputItemSchema }

/** The schemas of the contract as JSON Schema. The two that are left out are spread over operations. */
function jsonSchemas(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>()
  const { listModelsQuerySchema, runResponseSchema, ...exported } = contract
  for (const [name, schema] of Object.entries({ ...exported, ...PARTS })) {
    const id = `${name[0]?.toUpperCase()}${name.slice(1)}`.replace(/Schema$/, '')
    if (typeof schema === 'object' && '_zod' in schema) registry.add(schema, { id })
  }
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` })
  // The document has one dialect, and the specification closes no object.
  const entries = Object.entries(schemas).map(([name, { $schema, $id, additionalProperties, ...schema }]) => {
    return [name, withoutLimits(schema)]
  })
  return Object.fromEntries(entries)
}

/** Without what JavaScript can count to, and without the rule that names of members are strings. */
function withoutLimits(schema: unknown): unknown {
  const isOurs = (name: string, value: unknown) => name !== 'propertyNames' && value !== Number.MAX_SAFE_INTEGER
  return JSON.parse(JSON.stringify(schema, (name, value) => (isOurs(name, value) ? value : undefined)))
}

const shown = new Set<string>()

/** A part of the document with the fixtures of a group as its examples. */
function withExamples(part: unknown, group: Readonly<Record<string, Partial<Fixture<unknown>>>>): unknown {
  if (Array.isArray(part)) return part.map((item) => withExamples(item, group))
  if (!isObject(part)) return part
  const members = Object.entries(part).map(([name, value]) => {
    if (name !== 'examples' || !isObject(value)) {
      return [name, withExamples(value, name === 'callbacks' ? fixtures.webhooks : group)]
    }
    const examples = Object.keys(value).map((example) => {
      const { assumption: description, body } = group[example] ?? expect.unreachable(`There is no fixture ${example}.`)
      shown.add(JSON.stringify(body))
      return [example, { ...(description === undefined ? {} : { description }), value: body }]
    })
    return [name, Object.fromEntries(examples)]
  })
  return Object.fromEntries(members)
}

interface OpenApi {
  paths: Record<string, Record<string, JsonObject>>
  components: { schemas: JsonObject; responses: JsonObject }
}

test('openapi.json has the schemas and fixtures of the contract: `npx vitest run packages/contract -u` writes them', async () => {
  const document: OpenApi = JSON.parse(JSON.stringify(openApiDocument))
  const { paths, components } = document
  const rules = { kept: OF_DOCUMENT, stricter: STRICTER }
  Object.assign(components.schemas, updated({ written: components.schemas, current: jsonSchemas() }, rules))
  Object.assign(components.responses, withExamples(components.responses, fixtures.errors))
  for (const [path, operations] of Object.entries(paths)) {
    const { models, runs, jobs } = fixtures
    const groups = { GET: path.startsWith('/v1/models') ? models : jobs, POST: runs, DELETE: jobs }
    for (const [method, operation] of Object.entries(operations)) {
      operations[method] = withExamples(operation, groups[method.toUpperCase() as keyof typeof groups]) as JsonObject
    }
  }
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../openapi.json')
  const all = Object.values(fixtures).flatMap((group) => Object.values<Partial<Fixture<unknown>>>(group))
  const hidden = all.filter(({ body }) => !shown.has(JSON.stringify(body)))
  expect(hidden).toEqual([fixtures.jobs.cancelEmpty, fixtures.webhooks.unknownStatus])
})

test('the query of the list has the members of its schema (section 4.1)', () => {
  const { properties } = withoutLimits(z.toJSONSchema(contract.listModelsQuerySchema)) as { properties: object }
  const parameters = Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
  expect(openApiDocument.paths[ROUTES.listModels.path]).toMatchObject({ get: { parameters } })
})

test('every endpoint names its section and its permission (sections 4 and 5)', () => {
  for (const [operationId, { method, path, permission }] of Object.entries(ROUTES)) {
    expect(openApiDocument).toHaveProperty(['paths', path, method.toLowerCase()], {
      operationId,
      description: expect.stringMatching(
        new RegExp(`Specification: section 4\\.\\d\\. Needs the permission \`${permission}\``),
      ),
      security: [{ apiKey: [permission] }],
      tags: expect.any(Array),
      summary: expect.any(String),
      parameters: expect.any(Array),
      responses: expect.any(Object),
      ...(method === 'POST' ? { requestBody: expect.any(Object), callbacks: expect.any(Object) } : {}),
    })
  }
})

test('no object is closed: the specification forbids no further member', () => {
  expect(JSON.stringify(openApiDocument)).not.toContain('"additionalProperties":false')
})

const DELIVERY = ['callbacks', 'jobFinished', '{$request.body#/webhook_url}', 'post', 'requestBody', 'required']

test.each<[what: string, path: string[], value: unknown]>([
  [
    'counts are integers (2.4)',
    ['components', 'schemas', 'RunCompleted', 'properties', 'credits_used', 'type'],
    'integer',
  ],
  ['`sync` is true unless given (4.3)', ['components', 'schemas', 'RunRequest', 'properties', 'sync', 'default'], true],
  [
    'an input_schema has each member (2.3)',
    ['components', 'schemas', 'InputSchema', 'required'],
    ['type', 'properties', 'required'],
  ],
  ['the delivery is a callback of the run (4.3, rule 3)', ['paths', ROUTES.runModel.path, 'post', ...DELIVERY], true],
])('%s', (_what, path, value) => {
  expect(openApiDocument).toHaveProperty(path, value)
})
