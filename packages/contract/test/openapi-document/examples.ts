import type { Fixture } from '../../src/fixtures.ts'
import type { JsonObject } from './json-object.ts'

/** Fixtures as the examples of a media type. The assumption of a fixture becomes the description of the example. */
function examples(fixtures: Readonly<Record<string, Fixture<unknown>>>): JsonObject {
  const entries = Object.entries(fixtures).map(([name, { assumption, body }]) => [
    name,
    { ...(assumption === undefined ? {} : { description: assumption }), value: body },
  ])
  return Object.fromEntries(entries)
}

/** A JSON body: its schema and examples of it, if there are any. */
export function jsonContent(schema: JsonObject, fixtures?: Readonly<Record<string, Fixture<unknown>>>): JsonObject {
  return { 'application/json': { schema, ...(fixtures === undefined ? {} : { examples: examples(fixtures) }) } }
}
