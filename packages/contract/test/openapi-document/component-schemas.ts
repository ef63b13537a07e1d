import * as contract from '@modelrun/contract'
import * as z from 'zod/mini'
import { outputItemSchema } from '../../src/job.ts'
import { inputPropertySchema, inputSchemaSchema, modelPricingSchema } from '../../src/model.ts'
import { type PropertyDocs, readInterfaceDocs } from './interface-docs.ts'
import type { JsonObject } from './json-object.ts'
import { UNSHOWN } from './unshown-schemas.ts'

/** Path of the schemas in the document. */
export function schemaReference(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** These two are spread over the document: as query parameters, and over the responses of a run. */
const ELSEWHERE = ['ListModelsQuery', 'RunResponse']

/** The known values of the enumerations that the service may extend, by the name of their type. */
const OPEN_ENUMS: Readonly<Record<string, readonly string[]>> = {
  ServiceErrorCode: ['UNAUTHORIZED', 'FORBIDDEN', 'PROVIDER_FAILURE'],
  JobStatus: contract.JOB_STATUSES,
  ModelCategory: contract.MODEL_CATEGORIES,
  ModelStatus: ['active'],
  OutputType: ['image', 'video', 'audio'],
}

/**
 * What the specification says of a field and its schema does not check: a client takes any number for a count, as a check
 * for whole ones would cost every user's bundle.
 */
const NARROWER: Readonly<Record<string, JsonObject>> = {
  completed_at: { format: 'date-time' },
  credits_per_run: { type: 'integer' },
  credits_used: { type: 'integer' },
  duration_ms: { type: 'integer' },
  limit: { type: 'integer' },
  offset: { type: 'integer' },
  sync: { default: true },
  total: { type: 'integer' },
}

/** Rules of the specification for whole objects that their zod schemas do not check. */
const STATED: Readonly<Record<string, JsonObject>> = {
  // The client reads a model that has no `required`. Section 2.3 lists it.
  InputSchema: { required: ['type', 'properties', 'required'] },
  // A zod schema cannot say which field comes with which status (section 2.4) without becoming a closed union.
  Job: { allOf: [requiredWhen('succeeded', 'output'), requiredWhen('failed', 'error')] },
}

/** Members of one schema alone. */
const STATED_MEMBERS: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  InputSchema: { type: { const: 'object' } },
  // A job "holds" them when it succeeded or failed (section 2.4). Nothing says that they are left out otherwise.
  Job: { output: nullable('Output'), error: nullable('ErrorDetail') },
}

/** Every schema of the contract as JSON Schema, by the name of its interface and with the comments of that interface. */
export function componentSchemas(): Record<string, JsonObject> {
  const docs = readInterfaceDocs(new URL('../../src/', import.meta.url))
  const entries = Object.entries(jsonSchemas()).map(([name, schema]) => {
    const { text = '', properties = {} } = docs.get(name) ?? {}
    const description = UNSHOWN[name as keyof typeof UNSHOWN]?.description ?? text // `undefined` for every other name
    const described = describe(withStatedMembers(name, schema), properties)
    return [name, { description, ...described, ...STATED[name] }] as const
  })
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The query parameters of `GET /v1/models` (section 4.1), by name. */
export function listModelsQuerySchemas(): Record<string, JsonObject> {
  const docs = readInterfaceDocs(new URL('../../src/', import.meta.url)).get('ListModelsQuery')
  const { properties } = describe(z.toJSONSchema(contract.listModelsQuerySchema) as JsonObject, docs?.properties ?? {})
  return properties as Record<string, JsonObject> // `describe` has just made them
}

/** What only other schemas hold, and the document names. */
const PARTS = { inputPropertySchema, inputSchemaSchema, modelPricingSchema, outputItemSchema }

function jsonSchemas(): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries({ ...contract, ...PARTS })) {
    const id = `${name[0]?.toUpperCase()}${name.slice(1)}`.replace(/Schema$/, '')
    if (isSchema(schema) && !ELSEWHERE.includes(id)) registry.add(schema, { id })
  }
  for (const [id, { schema }] of Object.entries(UNSHOWN)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => schemaReference(id).$ref })
  return schemas as Record<string, JsonObject>
}

function isSchema(value: unknown): value is z.ZodMiniType {
  return typeof value === 'object' && value !== null && '_zod' in value
}

function describe(schema: JsonObject, docs: Readonly<Record<string, PropertyDocs>>): JsonObject {
  // The document has one dialect for all its schemas, and its own references.
  // Every object may have more members: the specification closes none.
  const { $schema, $id, properties, additionalProperties, ...rest } = schema
  if (typeof properties !== 'object' || properties === null) return rest
  const described = Object.entries(properties).map(([name, property]) => [name, describeProperty(name, property, docs)])
  return { ...rest, properties: Object.fromEntries(described) }
}

function withStatedMembers(name: string, schema: JsonObject): JsonObject {
  const members = STATED_MEMBERS[name]
  return members === undefined ? schema : { ...schema, properties: { ...(schema.properties as object), ...members } }
}

function describeProperty(name: string, schema: JsonObject, docs: Readonly<Record<string, PropertyDocs>>): JsonObject {
  const { text = '', type = '' } = docs[name] ?? {}
  const known = OPEN_ENUMS[type]
  // Names of members are strings, as JSON has them.
  const { maximum, propertyNames, ...rest } = schema
  return {
    ...(text === '' ? {} : { description: text }),
    ...rest,
    // What JavaScript can count to is not a limit of the service.
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(NARROWER[name] ?? {}),
    ...(known === undefined ? {} : { examples: known }),
  }
}

function nullable(name: string): JsonObject {
  return { anyOf: [schemaReference(name), { type: 'null' }] }
}

function requiredWhen(status: string, field: string): JsonObject {
  const hasStatus = { properties: { status: { const: status } } }
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; it is never awaited.
  return { if: hasStatus, then: { properties: { [field]: { type: 'object' } }, required: [field] } }
}
