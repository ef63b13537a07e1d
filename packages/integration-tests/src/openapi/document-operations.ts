import { openApiDocument } from '@modelrun/contract/openapi'

/** A place in the document, to read and to refer to. */
export interface DocumentNode<Value = unknown> {
  /** JSON pointer as a URI fragment, `#/…`. */
  pointer: string
  value: Value
}

/** A parameter of an operation. */
interface DocumentParameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
}

/** An operation of the document. */
export interface DocumentOperation {
  security?: readonly object[]
  parameters?: readonly DocumentParameter[]
  requestBody?: object
  responses: Readonly<Record<string, object>>
}

/** An operation that a request asks for, with the values of its path. */
export interface MatchedOperation extends DocumentNode<DocumentOperation> {
  pathValues: Readonly<Record<string, string>>
}

/** The operation at a method and a path, still percent-encoded; `undefined` when the document has none. */
export function findOperation(method: string, path: string): MatchedOperation | undefined {
  for (const template of Object.keys(openApiDocument.paths)) {
    const pathValues = matchPath(template, path)
    if (pathValues === undefined) continue
    const node = child({ pointer: '#', value: openApiDocument }, 'paths', template, method.toLowerCase())
    // What stands there is an operation: Redocly CLI has checked the form of the document.
    if (node !== undefined) return { ...(node as DocumentNode<DocumentOperation>), pathValues }
  }
  return undefined
}

/** What the document has for a response of this status: the status itself, its range, or `default`. */
export function findResponse(operation: DocumentNode<DocumentOperation>, status: number): DocumentNode | undefined {
  const names = [String(status), `${String(status)[0]}XX`, 'default']
  const name = names.find((candidate) => Object.hasOwn(operation.value.responses, candidate))
  return name === undefined ? undefined : child(operation, 'responses', name)
}

/** What lies below a node; references on the way are followed. */
export function child(node: DocumentNode, ...names: readonly string[]): DocumentNode | undefined {
  const [name, ...rest] = names
  if (name === undefined) return dereferenced(node)
  const { pointer, value } = dereferenced(node)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return child({ pointer: `${pointer}/${escaped(name)}`, value: Reflect.get(value, name) }, ...rest)
}

function dereferenced(node: DocumentNode): DocumentNode {
  const { value } = node
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return node
  const names = String(value.$ref).split('/').slice(1)
  const target = child({ pointer: '#', value: openApiDocument }, ...names)
  if (target === undefined) throw new TypeError(`The document has nothing at ${String(value.$ref)}.`)
  return target
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  const groups = new RegExp(`^${pattern}$`).exec(path)
  return groups === null ? undefined : { ...groups.groups }
}
