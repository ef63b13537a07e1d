import SwaggerParser from '@apidevtools/swagger-parser'
import { openApiDocument } from '@modelrun/contract/openapi'
// biome-ignore lint/style/noRestrictedImports: the public name of ajv for the dialect of OpenAPI 3.1.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'

/** A request and its response, both read to their end. */
export interface Exchange {
  /** Path below the base address, still percent-encoded, without the query. */
  path: string
  request: Pick<Request, 'method' | 'url' | 'headers'>
  requestText: string
  response: Pick<Response, 'status' | 'headers'>
  responseText: string
}

interface Schema {
  properties?: object
}
type Content = Readonly<Record<string, { schema: Schema } | undefined>>

interface Operation {
  security?: readonly object[]
  parameters?: readonly { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, { content?: Content } | undefined>>
  callbacks?: { jobFinished: { '{$request.body#/webhook_url}': { post: Operation } } }
}

// Redocly CLI has checked the form of the document.
const { paths } = (await SwaggerParser.dereference(structuredClone(openApiDocument) as never)) as unknown as {
  paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>
}

const check = createCheck({})
const checkText = createCheck({ coerceTypes: true })

/**
 * What of an exchange breaks the OpenAPI document, one sentence each; empty when nothing does. By an implementation of JSON
 * Schema that shares nothing with our schemas.
 */
export function checkExchange(exchange: Exchange): string[] {
  const { path, request, response } = exchange
  const found = findOperation(request.method, path)
  if (found === undefined) return [`The document has no ${request.method} ${path}.`]
  const { operation, pathValues } = found
  const isKeyNeeded = (operation.security ?? []).length > 0 && response.status !== 401
  const hasKey = /^Bearer \S+$/i.test(request.headers.get('authorization') ?? '')
  return [
    ...checkParameters(operation, pathValues, new URL(request.url).searchParams),
    ...(isKeyNeeded && !hasKey ? ['there is no bearer token, and the response is not a 401'] : []),
    ...checkRequestBody(operation, exchange),
    ...checkResponse(operation, exchange),
  ]
}

/** The same for the body of a webhook delivery. */
export function checkDelivery(text: string): string[] {
  const run = paths['/v1/models/{model}/run']?.post
  const delivery = run?.callbacks?.jobFinished['{$request.body#/webhook_url}'].post.requestBody
  return checkJson('the delivery', delivery?.content['application/json']?.schema, text)
}

/** A check of values against schemas of the document. */
function createCheck(options: { coerceTypes?: boolean }): (schema: Schema, value: unknown) => string[] {
  // Strict: a keyword that ajv does not know would be one that checks nothing.
  const ajv = new Ajv2020({ ...options, strict: true, strictTypes: false, allErrors: true })
  addFormatsModule.default(ajv)
  const compiled = new Map<Schema, ValidateFunction>()
  return (schema, value) => {
    // In an object: a string that becomes a number has to have a place.
    const validate = compiled.get(schema) ?? ajv.compile({ type: 'object', properties: { value: schema } })
    compiled.set(schema, validate)
    return validate({ value }) ? [] : (validate.errors ?? []).map(sentence)
  }
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath.replace('/value', '') || '/'} ${message} ${JSON.stringify(params)}`
}

function findOperation(method: string, path: string) {
  for (const [template, methods] of Object.entries(paths)) {
    const match = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)
    const operation = methods[method.toLowerCase()]
    if (match !== null && operation !== undefined) return { operation, pathValues: match.groups ?? {} }
  }
  return undefined
}

function checkParameters(
  { parameters = [] }: Operation,
  pathValues: Readonly<Record<string, string>>,
  query: URLSearchParams,
): string[] {
  const unknown = [...query.keys()].filter((name) => !parameters.some((one) => one.in === 'query' && one.name === name))
  const problems = parameters.flatMap(({ name, in: place, required = false, schema }) => {
    const text = place === 'path' ? pathValues[name] : query.get(name)
    if (text === undefined || text === null) return required ? [`the parameter ${name} is missing`] : []
    return checkText(schema, decodeURIComponent(text)).map((problem) => `the parameter ${name}: ${problem}`)
  })
  return [...unknown.map((name) => `the document has no query parameter ${name}`), ...problems]
}

function checkRequestBody({ requestBody }: Operation, { request, requestText: text }: Exchange): string[] {
  if (requestBody === undefined) return text === '' ? [] : ['the document has no request body here']
  const type = mediaType(request.headers)
  const schema = requestBody.content[type]?.schema
  const problems = checkJson(`the request body (${type})`, schema, text)
  if (schema?.properties === undefined || problems.length > 0) return problems
  // A client sends what the document names, although a service may take more.
  const names = Object.keys(JSON.parse(text)).filter((name) => !Object.hasOwn(schema.properties ?? {}, name))
  return names.map((name) => `the request body: the document has no member ${name}`)
}

function checkResponse({ responses }: Operation, { response, responseText: text }: Exchange): string[] {
  const { status } = response
  const described = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default
  if (described === undefined) return ['the document has no response with this status']
  if (described.content === undefined) return text === '' ? [] : ['the response must have no body']
  const type = mediaType(response.headers)
  return checkJson(`the response (${type})`, described.content[type]?.schema, text)
}

function checkJson(what: string, schema: Schema | undefined, text: string): string[] {
  if (schema === undefined) return [`${what} has no schema in the document`]
  try {
    return check(schema, JSON.parse(text)).map((problem) => `${what}: ${problem}`)
  } catch (error) {
    if (error instanceof SyntaxError) return [`${what} is not JSON`]
    throw error
  }
}

function mediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? 'no content-type'
}
