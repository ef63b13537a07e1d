type Json = { readonly [name: string]: unknown }

/** A call as `GET /_reference` lists it. */
interface ListedCall {
  call: string
  what: unknown
  /** `{ a, b? }` is an object whose `b` may be missing, `?a=&b=` a query. */
  takes?: string | undefined
  gives: string
}

/** The calls of the OpenAPI document in a short form for people. */
export function listCalls(document: { paths: object; components: { schemas: object } }): ListedCall[] {
  const shapes = new Shapes(document.components.schemas as Json)
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      what: operation.summary,
      takes: shapes.body(operation.requestBody) ?? queryText(operation.parameters),
      gives: shapes.body((operation.responses as Json)[200]) ?? '',
    })),
  )
}

function queryText(parameters: unknown): string | undefined {
  if (!Array.isArray(parameters)) return undefined
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=`)
  return names.length === 0 ? undefined : `?${names.join('&')}`
}

/** How many objects within objects are written out. */
const DEPTH = 2

/** Writes schemas of the document as `{ a, b?, c: [{ d }] }`. */
class Shapes {
  readonly #schemas: Json

  constructor(schemas: Json) {
    this.#schemas = schemas
  }

  body(holder: unknown): string | undefined {
    const content = (holder as { content?: Record<string, { schema: Json }> } | undefined)?.content
    const [first] = Object.values(content ?? {}) // JSON, or a stream of events
    return first === undefined ? undefined : (this.#text(first.schema, DEPTH) ?? 'an object')
  }

  #text(schema: Json, depth: number): string | undefined {
    const { $ref, properties, required = [], items } = this.#resolve(schema)
    if (items !== undefined) {
      const item = this.#text(items as Json, depth)
      return item === undefined ? undefined : `[${item}]`
    }
    if ($ref !== undefined || properties === undefined || depth === 0) return undefined
    const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => {
      const text = this.#text(member, depth - 1)
      return `${name}${(required as string[]).includes(name) ? '' : '?'}${text === undefined ? '' : `: ${text}`}`
    })
    return members.length === 0 ? undefined : `{ ${members.join(', ')} }`
  }

  #resolve(schema: Json): Json {
    const name = String(schema.$ref ?? '').replace('#/components/schemas/', '')
    return name === '' ? schema : this.#resolve(this.#schemas[name] as Json)
  }
}
