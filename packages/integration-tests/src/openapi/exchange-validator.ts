import { openApiDocument } from '@modelrun/contract/openapi'
// biome-ignore lint/style/noRestrictedImports: the public name of ajv for the dialect of OpenAPI 3.1.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { child, type DocumentNode, findOperation, findResponse, type MatchedOperation } from './document-operations.ts'

/** A request and its response, both read to their end. */
export interface Exchange {
  /** Path below the base address, still percent-encoded, without the query. */
  path: string
  request: Pick<Request, 'method' | 'url' | 'headers'>
  requestText: string
  response: Pick<Response, 'status' | 'headers'>
  responseText: string
}

/** Finds what breaks the OpenAPI document, by an implementation of JSON Schema that shares nothing with our schemas. */
export interface ExchangeValidator {
  /** What is wrong with an exchange, one sentence each; empty when nothing is. */
  checkExchange(exchange: Exchange): string[]
  /** The same for the body of a webhook delivery. */
  checkDelivery(text: string): string[]
}

type Check = (schema: DocumentNode, value: unknown) => string[]

const JSON_TYPE = 'application/json'

export function createExchangeValidator(): ExchangeValidator {
  const check = createCheck({})
  const checkText = createCheck({ coerceTypes: true })
  return {
    checkExchange(exchange) {
      const { path } = exchange
      const { method } = exchange.request
      const operation = findOperation(method, path)
      if (operation === undefined) return [`The document has no ${method} ${path}.`]
      return [
        ...checkParameters(checkText, operation, exchange),
        ...checkKey(operation, exchange),
        ...checkRequestBody(check, operation, exchange),
        ...checkResponse(check, operation, exchange),
      ]
    },
    checkDelivery(text) {
      const root = { pointer: '#', value: openApiDocument }
      const run = child(root, 'paths', '/v1/models/{model}/run', 'post', 'callbacks', 'jobFinished')
      const path = ['{$request.body#/webhook_url}', 'post', 'requestBody', 'content', JSON_TYPE, 'schema']
      const schema = run === undefined ? undefined : child(run, ...path)
      return checkJson(check, { what: 'the delivery', schema, text })
    },
  }
}

/** A check of values against places in the document, whose own references stay as they are. */
function createCheck(options: { coerceTypes?: boolean }): Check {
  // Strict: a keyword that ajv does not know would be one that checks nothing.
  const ajv = new Ajv2020({ ...options, strict: true, strictTypes: false, allErrors: true })
  addFormatsModule.default(ajv)
  // The document holds schemas and is none: its own members are no keywords that were misspelt.
  ajv.addVocabulary(Object.keys(openApiDocument))
  ajv.addSchema(openApiDocument, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  return ({ pointer }, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile(placed(pointer))
    compiled.set(pointer, validate)
    return validate({ value }) ? [] : (validate.errors ?? []).map(sentence)
  }
}

/** In an object: a text that becomes a number has to have a place. */
function placed(pointer: string): object {
  return { type: 'object', properties: { value: { $ref: `openapi${pointer}` } } }
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath.replace('/value', '') || '/'} ${message} ${JSON.stringify(params)}`
}

function checkParameters(check: Check, operation: MatchedOperation, { request }: Exchange): string[] {
  const query = new URL(request.url).searchParams
  const parameters = operation.value.parameters ?? []
  const known = new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name))
  const unknown = [...query.keys()].filter((name) => !known.has(name))
  const problems = parameters.flatMap((parameter, index) => {
    const { name, required = false } = parameter
    const text = parameter.in === 'path' ? operation.pathValues[name] : query.get(name)
    if (text === undefined || text === null) return required ? [`the parameter ${name} is missing`] : []
    const schema = child(operation, 'parameters', String(index), 'schema')
    const problems = schema === undefined ? ['has no schema'] : check(schema, decodeURIComponent(text))
    return problems.map((problem) => `the parameter ${name}: ${problem}`)
  })
  return [...unknown.map((name) => `the document has no query parameter ${name}`), ...problems]
}

function checkKey({ value }: MatchedOperation, { request, response }: Exchange): string[] {
  const isNeeded = (value.security ?? []).length > 0 && response.status !== 401
  const hasKey = /^Bearer \S+$/i.test(request.headers.get('authorization') ?? '')
  return isNeeded && !hasKey ? ['there is no bearer token, and the response is no 401'] : []
}

function checkRequestBody(check: Check, operation: MatchedOperation, exchange: Exchange): string[] {
  const { request, requestText: text } = exchange
  if (operation.value.requestBody === undefined) return text === '' ? [] : ['the document has no request body here']
  const type = mediaType(request.headers)
  const schema = child(operation, 'requestBody', 'content', type, 'schema')
  return [...checkJson(check, { what: `the request body (${type})`, schema, text }), ...unknownMembers(schema, text)]
}

/** A client sends what the document names, although a service may take more. */
function unknownMembers(schema: DocumentNode | undefined, text: string): string[] {
  const known = schema === undefined ? undefined : child(schema, 'properties')?.value
  const body = parseObject(text)
  if (typeof known !== 'object' || known === null) return []
  const names = Object.keys(body).filter((name) => !Object.hasOwn(known, name))
  return names.map((name) => `the request body: the document has no member ${name}`)
}

function parseObject(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {} // said by the check of the schema
  }
}

function checkResponse(check: Check, operation: MatchedOperation, exchange: Exchange): string[] {
  const { response, responseText: text } = exchange
  const described = findResponse(operation, response.status)
  if (described === undefined) return ['the document has no response with this status']
  if (child(described, 'content') === undefined) return text === '' ? [] : ['the response must have no body']
  const type = mediaType(response.headers)
  return checkJson(check, { what: `the response (${type})`, schema: child(described, 'content', type, 'schema'), text })
}

function checkJson(check: Check, body: { what: string; schema: DocumentNode | undefined; text: string }): string[] {
  if (body.schema === undefined) return [`${body.what} has no schema in the document`]
  try {
    return check(body.schema, JSON.parse(body.text)).map((problem) => `${body.what}: ${problem}`)
  } catch (error) {
    if (error instanceof SyntaxError) return [`${body.what} is no JSON`]
    throw error
  }
}

function mediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? 'no content-type'
}
