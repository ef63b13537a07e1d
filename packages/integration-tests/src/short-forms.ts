type Json = { readonly [name: string]: unknown }

/** What a call takes, in a short form for people: `{ a, b? }` is an object whose `b` may be missing, `?a=&b=` a query. */
export function takenBy(operation: Json, schemas: Json): string | undefined {
  return bodyText(operation.requestBody, schemas) ?? queryText(operation.parameters)
}

/** What a call responds with, in the same form. */
export function givenBy(operation: Json, schemas: Json): string | undefined {
  return bodyText((operation.responses as Json)[200], schemas)
}

function queryText(parameters: unknown): string | undefined {
  if (!Array.isArray(parameters)) return undefined
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=`)
  return names.length === 0 ? undefined : `?${names.join('&')}`
}

function bodyText(holder: unknown, schemas: Json): string | undefined {
  const content = (holder as { content?: Record<string, { schema: Json }> } | undefined)?.content
  const [first] = Object.values(content ?? {}) // JSON, or a stream of events
  return first && (shapeOf(first.schema, schemas, DEPTH) ?? 'an object')
}

/** How many objects within objects are written out. */
const DEPTH = 2

/** A schema of the document as `{ a, b?, c: [{ d }] }`. */
function shapeOf(schema: Json, schemas: Json, depth: number): string | undefined {
  const reference = String(schema.$ref ?? '').replace('#/components/schemas/', '')
  if (reference !== '') return shapeOf(schemas[reference] as Json, schemas, depth)
  const { properties, required = [], items } = schema
  if (items !== undefined) {
    const item = shapeOf(items as Json, schemas, depth)
    return item && `[${item}]`
  }
  if (properties === undefined || depth === 0) return undefined
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => {
    const text = shapeOf(member, schemas, depth - 1)
    return `${name}${(required as string[]).includes(name) ? '' : '?'}${text === undefined ? '' : `: ${text}`}`
  })
  return members.length === 0 ? undefined : `{ ${members.join(', ')} }`
}
