import { ROUTES } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'
import type { IncomingRequest } from './messages.ts'

const MODEL_PATH = new RegExp(`^${ROUTES.listModels.path}/(?<id>.+?)(?<run>/run)?$`)

/** The path of a URL, still percent-encoded. */
export function pathOf(url: string): string {
  return /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ''
}

/** Path below the base URL, still percent-encoded. */
export function pathBelow(baseUrl: string, requestUrl: string): string {
  const path = pathOf(requestUrl)
  const prefix = pathOf(baseUrl) === '' ? '' : new URL(baseUrl).pathname
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** A path with a model id as one segment. Model ids contain slashes, which clients send encoded or plain. */
export function withModelAsSegment(path: string): string {
  const { id, run = '' } = MODEL_PATH.exec(path)?.groups ?? {}
  return id === undefined ? path : `${ROUTES.listModels.path}/${id.replaceAll('/', '%2F')}${run}`
}

/** Text of a path segment; an invalid encoding stays as it is. */
export function decodeSegment(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment
  } catch {
    return segment
  }
}

export interface Match<Value> {
  /** By their names, decoded. */
  params: Readonly<Record<string, string>>
  methods: ReadonlyMap<string, Value>
}

/** Finds what serves a path. A part of a template in braces, such as `{id}`, stands for one segment. */
export class Router<Value> {
  readonly #patterns = new Map<string, { parts: readonly string[]; methods: Map<string, Value> }>()

  add(method: string, template: string, value: Value): void {
    const pattern = this.#patterns.get(template) ?? { parts: template.split('/'), methods: new Map() }
    pattern.methods.set(method, value)
    this.#patterns.set(template, pattern)
  }

  match(path: string): Match<Value> | undefined {
    const segments = path.split('/')
    for (const { parts, methods } of this.#patterns.values()) {
      if (parts.length !== segments.length || !parts.every((part, index) => fits(part, segments[index]))) continue
      const params: Record<string, string> = {}
      for (const [index, part] of parts.entries()) {
        if (part.startsWith('{')) params[part.slice(1, -1)] = decodeSegment(segments[index] ?? '')
      }
      return { params, methods }
    }
    return undefined
  }
}

/** For the header `allow`. */
export function methodsOf(methods: ReadonlyMap<string, unknown>): string {
  return [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function fits(part: string, segment = ''): boolean {
  return part === segment || (part.startsWith('{') && segment !== '')
}

/** A request with its place among the routes. */
export class RoutedRequest {
  readonly raw: IncomingRequest
  /** Below the base URL, still percent-encoded, with a model id as one segment. */
  readonly path: string
  /** Parameters of the path, decoded. */
  params: Readonly<Record<string, string>> = {}

  constructor(raw: IncomingRequest, path: string) {
    this.raw = raw
    this.path = path
  }

  get method(): string {
    return this.raw.method
  }

  /** A parameter of the path; empty when the route has none of this name. */
  param(name: string): string {
    return this.params[name] ?? ''
  }

  get queries(): Readonly<Record<string, string>> {
    return Object.fromEntries(new URL(this.raw.url).searchParams)
  }

  query(name: string): string | undefined {
    return new URL(this.raw.url).searchParams.get(name) ?? undefined
  }
}

/** What is wrong with a query that has another parameter than these, as a sentence. */
export function unknownParameter({ queries }: RoutedRequest, known: readonly string[]): string | undefined {
  const name = Object.keys(queries).find((sent) => !known.includes(sent))
  if (name === undefined) return undefined
  const closest = closestName(name, known)
  const all = known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`
  return `there is no parameter ${JSON.stringify(name.slice(0, 60))}. ${closest === undefined ? all : `Did you mean ${closest}?`}`
}
