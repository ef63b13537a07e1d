import { type Route, type RunRequest, runRequestSchema } from '@modelrun/contract'
import type { Rejection } from '@modelrun/contract/assumptions'
import type { ApiKey } from '../domain/api-keys.ts'
import { unknownModelText } from '../domain/list-models.ts'
import { validateInput } from '../domain/validate-input.ts'
import type { RunOrder } from '../service/runs.ts'
import type { Service } from '../service/service.ts'
import { invalidMessage, parseShape } from '../shared/parse-shape.ts'
import { isBuiltInReceiver } from '../webhooks/receivers.ts'
import { targetKind } from '../webhooks/webhook-target.ts'
import { errorResponse, rejectionResponse, unauthorized } from '../wire/error-responses.ts'
import type { IncomingRequest, Reply } from '../wire/messages.ts'
import { isJson, readJson } from '../wire/read-json-body.ts'
import type { AppContext, KeyContext } from './app-env.ts'

/** A run that may start, or the response that rejects it; both with the body as text, as far as it was read. */
type CheckedRun = { requestBody?: string | undefined } & (
  | { order: RunOrder; response?: undefined }
  | { order?: undefined; response: Reply }
)

/** Checks a run from its body to its input (section 4.3). Never rejects. */
export async function checkRun(service: Service, { req, env }: KeyContext): Promise<CheckedRun> {
  const { wrongRequest, unknownModel } = service.options.assumptions
  if (!isJson(req.raw.headers.get('content-type'))) {
    const message = 'Send the body as JSON with the header Content-Type: application/json.'
    return { response: errorResponse('UNSUPPORTED_MEDIA_TYPE', message) }
  }
  const { requestBody, ...read } = await (env.readBody ?? readJson(req.raw))
  if (typeof read.problem === 'object') return { response: read.problem }
  const reject = (as: Rejection, message: string) => ({ requestBody, response: rejectionResponse(as, message) })
  if (read.problem !== undefined) return reject(wrongRequest, read.problem)
  // The key may have been revoked while the body came.
  const apiKey = findKey(req.raw, service)
  if (typeof apiKey === 'string') return { requestBody, response: unauthorized(apiKey) }
  const body = parseShape(runRequestSchema, read.json)
  if (!body.ok) return reject(wrongRequest, invalidMessage('body', body.message))
  const unreachable = checkWebhook(service, apiKey, body.value.webhook_url)
  if (unreachable !== undefined) return { requestBody, response: unreachable }
  const model = service.models.get(req.param('model'))
  if (model === undefined) return reject(unknownModel, unknownModelText(req.param('model'), service.models))
  const input = validateInput(model.input_schema, body.value.input)
  if (input.ok) {
    const order = { ...body.value, sentInput: body.value.input, input: input.input, account: apiKey.account, model }
    return { requestBody, order }
  }
  const problems = input.problems.slice(0, 5).map(({ pointer, message }) => `/input${pointer}: ${message}`)
  const advice = `GET /v1/models/${encodeURIComponent(model.id)} shows what the model takes.`
  return reject(wrongRequest, `Invalid input: ${problems.join(' ')} ${advice}`)
}

/**
 * Checks the webhook of a run. A private address gets a warning. Where other machines can reach the server, private and
 * loopback addresses are rejected: a caller could otherwise make it call what only it can reach.
 */
function checkWebhook(
  service: Service,
  { permissions, account }: ApiKey,
  url: RunRequest['webhook_url'],
): Reply | undefined {
  if (url === undefined) return undefined
  const { webhookNeedsManage, wrongRequest } = service.options.assumptions
  if (webhookNeedsManage && !permissions.includes('webhooks:manage')) {
    const message =
      'The API key lacks the permission webhooks:manage that a run with webhook_url needs. Use a key that has it.'
    return errorResponse('FORBIDDEN', message)
  }
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    // `fetch` does not call such a URL.
    const message = 'Invalid body: /webhook_url must have no user name and no password. The receiver gets neither.'
    return rejectionResponse(wrongRequest, message)
  }
  const kind = isBuiltInReceiver(url) ? 'public' : targetKind(url)
  if (service.receivers.isGuarded && (kind === 'private' || kind === 'loopback')) {
    const message =
      'Invalid body: /webhook_url leads to a private address. This server can be reached by other machines, so it calls ' +
      'public addresses only, unless it is started with --allow-private-webhooks, or listen(server, { allowPrivateWebhooks: true }).'
    return errorResponse('VALIDATION_ERROR', message)
  }
  if (kind === 'private') {
    service.observer.warn(
      'warning: The webhook leads to a private address: the service itself could not reach it.',
      account,
    )
  }
  return undefined
}

const HOW_TO = 'Send the header "Authorization: Bearer <API_KEY>".'

/**
 * The current state of the request's key, or the problem with it. The message never repeats what was sent: it may be a
 * secret of another service. Call it again after a body was received: the key may have been revoked, or lost in a restore.
 */
export function findKey({ headers }: IncomingRequest, { keys }: Service): ApiKey | string {
  const header = headers.get('authorization')
  if (header === null || header === '') return `The request has no API key. ${HOW_TO}`
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (key === undefined) return `The Authorization header is not a bearer token. ${HOW_TO}`
  const found = keys.find(key)
  if (found === undefined) return 'The API key is not known here.'
  return found.isRevoked ? 'The API key was revoked. Use the key that it was replaced by, or a new one.' : found
}

/** Rejects a key without the permission (section 5.5). */
export function missingPermission(
  { method, path, permission }: Route,
  { env: { apiKey } }: KeyContext,
): Reply | undefined {
  if (apiKey.permissions.includes(permission)) return undefined
  const message = `The API key lacks the permission ${permission} that ${method} ${path} needs. Use a key that has it.`
  return errorResponse('FORBIDDEN', message)
}

/** Rejects query parameters: a `?sync=false` that is ignored would go unnoticed, and cost credits. */
export function unwantedQuery({ options }: Service, { req }: AppContext): Reply | undefined {
  if (!/\?[^#]/.test(req.raw.url)) return undefined
  const message = 'Invalid query: this path takes no query parameters. What a run takes is sent in the body.'
  return rejectionResponse(options.assumptions.wrongRequest, message)
}
