/** A call as `GET /_reference` lists it. */
interface ListedCall {
  call: string
  what: unknown
  /** `{ a, b? }` is an object whose `b` may be missing, `?a=&b=` a query. */
  takes?: unknown
  gives: unknown
}

/** The calls of the OpenAPI document in a short form for people. */
export function listCalls({ paths }: { paths: object }): ListedCall[] {
  return Object.entries<Record<string, Record<string, unknown>>>({ ...paths }).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary: what, 'x-takes': takes, 'x-gives': gives }]) => {
      return { call: `${method.toUpperCase()} ${path}`, what, takes, gives }
    }),
  )
}

/** Path of the document below the control API's prefix. */
export const DOCUMENT_PATH = '/openapi.json'

/** The control API as an OpenAPI 3.1 document, from `control-openapi.json`. */
export type ControlDocument = typeof import('../../control-openapi.json')

/** Loaded when it is asked for: most servers live for one test. */
export async function loadDocument(): Promise<ControlDocument> {
  const { default: document } = await import('../../control-openapi.json', { with: { type: 'json' } })
  return document
}

/** `GET /_reference/openapi.json`: the document, at the URL of this server. */
export async function documentAt(baseUrl: string): Promise<object> {
  return { ...(await loadDocument()), servers: [{ url: baseUrl, description: 'The modelrun reference server' }] }
}
