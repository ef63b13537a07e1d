import { type RunRequest, runRequestSchema } from '@modelrun/contract'
import type { ApiKey } from '../../domain/api-keys.ts'
import type { CatalogModel } from '../../domain/catalog.ts'
import { validateInput } from '../../domain/validate-input.ts'
import { parseShape } from '../../parse-shape.ts'
import type { Service } from '../../service/service.ts'
import { isBuiltInReceiver } from '../../webhooks/receivers.ts'
import { targetKind } from '../../webhooks/webhook-target.ts'
import type { RouteDetails, RouteResult } from '../app-env.ts'
import { errorResponses, isAccepted, reject } from '../error-responses.ts'
import type { IncomingRequest, Reply } from '../messages.ts'
import { isJson, readJson } from '../read-json-body.ts'

const MEMBERS = ['input', 'sync', 'webhook_url']

/** The body of a run, or the rejection; both with what is known of the request. */
type ReadRun = RouteDetails & ({ body: RunRequest; response?: undefined } | { response: Reply })

/** Reads the body of a run (section 4.3). A wrong member that is accepted is left out. Never rejects. */
export async function readRunRequest(service: Service, request: IncomingRequest): Promise<ReadRun> {
  if (!isJson(request.headers.get('content-type')) && !isAccepted(service, 'otherContentType')) {
    const message = 'Send the body as JSON with the header Content-Type: application/json.'
    return reject(service, 'otherContentType', { message })
  }
  const { requestBody, assumptions, ...read } = await readJson(request)
  if (typeof read.problem === 'object') return { response: read.problem }
  if (read.problem !== undefined) {
    return reject(service, 'brokenJson', { message: read.problem, requestBody, assumptions })
  }
  const body = acceptedMembers(service, read.json)
  const checked = parseShape(runRequestSchema, body)
  const isPlain = checked.ok && /^http:/i.test(checked.value.webhook_url ?? '')
  if (isPlain && !isAccepted(service, 'plainHttpWebhook'))
    return reject(service, 'plainHttpWebhook', { message: '/webhook_url must be an https URL.', requestBody })
  if (checked.ok) return { requestBody, body: checked.value }
  return reject(service, kindOf(body), { message: `The body is not right. ${checked.message}`, requestBody })
}

/** The body without wrong members that are accepted: they mean nothing. */
function acceptedMembers(service: Service, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const members = Object.entries(body).filter(([name, value]) => {
    if (!MEMBERS.includes(name)) return !isAccepted(service, 'unknownMember')
    return name !== 'webhook_url' || !isInvalidUrl(value) || !isAccepted(service, 'webhookScheme')
  })
  return Object.fromEntries(members)
}

function kindOf(body: unknown): 'unknownMember' | 'webhookScheme' | 'invalidBody' {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'invalidBody'
  if (Object.keys(body).some((name) => !MEMBERS.includes(name))) return 'unknownMember'
  return 'webhook_url' in body && isInvalidUrl(body.webhook_url) ? 'webhookScheme' : 'invalidBody'
}

/** Whether a webhook_url cannot be called. */
function isInvalidUrl(url: unknown): boolean {
  return !parseShape(runRequestSchema, { input: {}, webhook_url: url }).ok
}

/** The input with its defaults, or the rejection. A wrong input that is accepted makes a job that fails. */
export function checkInput(
  service: Service,
  model: CatalogModel,
  input: RunRequest['input'],
): { input: Record<string, unknown>; isRight: boolean } | RouteResult {
  const checked = validateInput(model.input_schema, input)
  if (checked.ok) return { input: checked.input, isRight: true }
  const rejected = checked.problems.filter(({ kind }) => !isAccepted(service, kind))
  const [first] = rejected
  if (first === undefined) {
    return { input, isRight: checked.problems.every(({ kind }) => kind === 'unknownParameter') }
  }
  const assumptions = [...new Set(checked.problems.flatMap(({ assumption }) => assumption ?? []))]
  const problems = rejected.slice(0, 5).map(({ pointer, message }) => `/input${pointer}: ${message}`)
  const advice = `GET /v1/models/${encodeURIComponent(model.id)} shows what the model takes.`
  const message = `The input is not right. ${problems.join(' ')} ${advice}`
  return reject(service, first.kind, { message, rejectedPart: 'input', assumptions })
}

const ALLOW_PRIVATE =
  'To let webhooks lead to private addresses, as between containers, start the server with --allow-private-webhooks, ' +
  'or listen(server, { allowPrivateWebhooks: true }).'

const PRIVATE_WARNING = 'The webhook leads to a private address: the service itself could not reach it.'

/**
 * Checks the webhook of a run. A private address gets a warning. Where other machines can reach the server, private and
 * loopback addresses are rejected: a caller could otherwise make it call what only it can reach. A user name and a
 * password in the URL are always rejected.
 *
 * @returns the rejection, or the hints for the response
 */
export function checkWebhook(
  service: Service,
  { permissions, account }: ApiKey,
  url: string | undefined,
): RouteResult | Pick<RouteDetails, 'hints'> {
  if (url === undefined) return {}
  if (service.options.assumptions.webhookNeedsManage && !permissions.includes('webhooks:manage')) {
    const message =
      'The API key lacks the permission webhooks:manage that a run with webhook_url needs. Use a key that has it.'
    return { assumptions: ['webhookNeedsManage'], response: errorResponses.forbidden(message) }
  }
  if (hasUserInfo(url)) {
    const message = '/webhook_url must be without a user name and a password: the receiver gets neither.'
    return { rejectedPart: 'webhook', assumptions: ['webhookUserInfo'], response: errorResponses.invalid(message) }
  }
  const kind = isBuiltInReceiver(url, service.baseUrl) ? 'public' : targetKind(url)
  if (service.receivers.isGuarded && (kind === 'private' || kind === 'loopback')) {
    const message =
      '/webhook_url leads to a private address. This server can be reached by other machines, so it calls public ' +
      'addresses only, unless it was started with allowPrivateWebhooks (--allow-private-webhooks).'
    return { rejectedPart: 'webhook', hints: [ALLOW_PRIVATE], response: errorResponses.invalid(message) }
  }
  if (kind !== 'private') return {}
  service.observer.warn(`warning: ${PRIVATE_WARNING}`, account)
  return { hints: [PRIVATE_WARNING] }
}

/** `fetch` does not call such a URL. */
function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}
