import { fixtures } from '../../src/fixtures.ts'
import { schemaReference } from './component-schemas.ts'
import { jsonContent } from './examples.ts'
import type { JsonObject } from './json-object.ts'

const { errors } = fixtures

/** The error responses, by the name of their fixture. */
const DESCRIPTIONS: Readonly<Record<keyof typeof errors, string>> = {
  unauthorized: 'API key missing or invalid (sections 5 and 7).',
  forbidden: 'The key lacks the permission that the action needs (sections 5 and 7).',
  invalidRequest: 'The request, or the input of the model, is invalid.',
  insufficientCredits: 'The account has too few credits for the run.',
  notFound: 'The model or job does not exist.',
  conflict: 'The job is finished and cannot be cancelled.',
  rateLimited: 'Too many requests; `Retry-After`, where it is sent, says when to try again.',
  internal: 'The service failed.',
}

export type ErrorName = keyof typeof errors

const schema = schemaReference('ErrorBody')

/** `components.responses`: every error that has an example, and one for all others. */
export function errorComponents(): JsonObject {
  const entries = Object.entries(DESCRIPTIONS).map(([name, text]) => {
    const fixture = errors[name as ErrorName] // the record's type says that these are its keys
    const description = fixture.assumption === undefined ? text : `${text} ${fixture.assumption}`
    return [name, { description, content: jsonContent(schema, { [name]: fixture }) }]
  })
  const description = 'Any other error. Its status and code: not shown (section 7).'
  return { ...Object.fromEntries(entries), otherError: { description, content: { 'application/json': { schema } } } }
}

/** The errors of every operation and those of one operation, by status. */
export function errorResponses(names: readonly ErrorName[]): JsonObject {
  const all: ErrorName[] = ['unauthorized', 'forbidden', 'rateLimited', 'internal', ...names]
  const byStatus = all.toSorted((a, b) => errors[a].httpStatus - errors[b].httpStatus)
  const entries = byStatus.map((name) => [String(errors[name].httpStatus), responseReference(name)])
  return { ...Object.fromEntries(entries), default: responseReference('otherError') }
}

function responseReference(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` }
}
