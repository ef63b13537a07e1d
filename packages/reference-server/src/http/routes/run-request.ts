import { type RunRequest, runRequestSchema } from '@modelrun/contract'
import { isRecord } from '@modelrun/kit'
import * as z from 'zod/mini'
import type { ApiKey } from '../../domain/api-keys.ts'
import type { CatalogModel } from '../../domain/catalog.ts'
import { validateInput } from '../../domain/validate-input.ts'
import { parseShape } from '../../parse-shape.ts'
import type { Service } from '../../service/service.ts'
import { isBuiltInReceiver } from '../../webhooks/receivers.ts'
import { isDelivered, targetKind } from '../../webhooks/webhook-target.ts'
import type { RouteDetails, RouteResult } from '../app-env.ts'
import { errorResponses, isAccepted, reject } from '../error-responses.ts'
import type { IncomingRequest, Reply } from '../messages.ts'
import { isJson, readJson } from '../read-json-body.ts'

const MEMBERS = ['input', 'sync', 'webhook_url']

/** The members of a body. */
export type Members = Readonly<Record<string, unknown>>

/** The members of a body, or the rejection; both with what is known of the request. */
type ReadMembers = RouteDetails &
  ({ members: Members; response?: undefined } | { members?: undefined; response: Reply })

/** Reads the body of a run as an object of JSON (section 4.3). Never rejects. */
export async function readMembers(service: Service, request: IncomingRequest): Promise<ReadMembers> {
  if (!isJson(request.headers.get('content-type')) && !isAccepted(service, 'otherContentType')) {
    const message = 'Send the body as JSON with the header Content-Type: application/json.'
    return reject(service, 'otherContentType', { message })
  }
  const { requestBody, assumptions, ...read } = await readJson(request)
  if (typeof read.problem === 'object') return { response: read.problem }
  if (read.problem !== undefined) {
    return reject(service, read.isEmpty ? 'emptyBody' : 'brokenJson', {
      message: read.problem,
      requestBody,
      assumptions,
    })
  }
  const checked = parseShape(anyObject, read.json)
  if (checked.ok) return { requestBody, members: checked.value }
  const message = `The body is not right. ${checked.message}`
  return reject(service, Array.isArray(read.json) ? 'arrayBody' : 'scalarBody', { message, requestBody })
}

const anyObject = /* @__PURE__ */ z.record(z.string(), z.unknown())
const withoutUrl = /* @__PURE__ */ z.omit(runRequestSchema, { webhook_url: true })

/** The body but for its URL, or the rejection. Unknown members that are accepted mean nothing. */
export function checkBody(service: Service, members: Members): Omit<RunRequest, 'webhook_url'> | RouteResult {
  const unknown = Object.keys(members).filter((name) => !MEMBERS.includes(name))
  const isUnknown = unknown.length > 0 && !isAccepted(service, 'unknownMember')
  const [kind, sync] = readSync(service, members.sync)
  const known = { input: members.input, sync }
  const checked = parseShape(withoutUrl, isUnknown ? { ...members, ...known, webhook_url: undefined } : known)
  if (checked.ok) return checked.value
  const message = `The body is not right. ${checked.message}`
  if (isUnknown) return reject(service, 'unknownMember', { message })
  if (members.input === undefined) return reject(service, 'invalidBody', { message })
  return reject(service, kind === undefined || !isRecord(members.input) ? inputKind(members.input) : kind, { message })
}

function inputKind(input: unknown) {
  return input === null ? 'inputNull' : Array.isArray(input) ? 'inputArray' : 'otherInput'
}

type SyncKind = 'syncWord' | 'syncDigit' | 'syncYes' | 'syncText' | 'syncNumber' | 'syncNull'

/** The texts that say something. */
const SYNC_TEXTS: ReadonlyMap<unknown, SyncKind> = /* @__PURE__ */ new Map([
  ...(['true', 'false'] as const).map((text) => [text, 'syncWord'] as const),
  ...(['0', '1'] as const).map((text) => [text, 'syncDigit'] as const),
  ...(['yes', 'no', 'on', 'off'] as const).map((text) => [text, 'syncYes'] as const),
])

function syncKind(sync: unknown): SyncKind {
  if (sync === null) return 'syncNull'
  return SYNC_TEXTS.get(sync) ?? (typeof sync === 'number' ? 'syncNumber' : 'syncText')
}

/** What kind of a wrong `sync` it is, and the one that it means: itself where that is rejected. */
function readSync({ options }: Service, sync: unknown): [kind: SyncKind | undefined, sync: unknown] {
  if (sync === undefined || typeof sync === 'boolean') return [undefined, sync]
  const kind = syncKind(sync)
  const { [kind]: choice, syncText, syncDigit } = options.assumptions.rejections
  if (typeof choice === 'object') return [kind, sync]
  const saysNo = sync === 'no' || sync === 'off'
  if (kind === 'syncYes') return [kind, choice === 'accepted' && !(saysNo && syncDigit === 'async')]
  // Where even a text that says nothing is false, nothing but `true` is true.
  const saysTrue = sync === 'true' || sync === '1' || (typeof sync === 'number' && sync !== 0)
  return [kind, choice === 'accepted' || (saysTrue && syncText !== 'async')]
}

/** The URL of a webhook, or the rejection. One that is wrong and accepted means nothing, or has no deliveries. */
export function checkUrl(service: Service, { webhook_url: url }: Members): { url: string | undefined } | RouteResult {
  if (url === undefined) return { url }
  const checked = parseShape(runRequestSchema, { input: {}, webhook_url: url })
  if (checked.ok) {
    const isPlain = /^http:/i.test(String(url))
    if (!isPlain || isAccepted(service, 'plainHttpWebhook')) return { url: checked.value.webhook_url }
    return reject(service, 'plainHttpWebhook', { message: '/webhook_url must be an https URL.' })
  }
  const kind = webhookKind(url)
  if (isAccepted(service, kind)) {
    const isWebhook = service.options.assumptions.rejections[kind] === 'accepted'
    return { url: isWebhook ? String(url) : undefined }
  }
  return reject(service, kind, { message: `The body is not right. ${checked.message}` })
}

function webhookKind(url: unknown) {
  if (url === null) return 'webhookNull'
  if (typeof url !== 'string') return 'webhookNumber'
  return url === '' ? 'webhookEmpty' : URL.canParse(url) ? 'webhookScheme' : 'malformedWebhookUrl'
}

/** The input with its defaults, or the rejection. A wrong input that is accepted makes a job that fails. */
export function checkInput(
  service: Service,
  model: CatalogModel,
  input: RunRequest['input'],
): { input: Record<string, unknown>; isRight: boolean } | RouteResult {
  const checked = validateInput(model.input_schema, input)
  const empty = isAccepted(service, 'requiredEmpty')
    ? undefined
    : model.input_schema?.required?.find((name) => input[name] === '')
  if (empty !== undefined) {
    return reject(service, 'requiredEmpty', {
      message: `The input is not right. /input/${empty} is empty.`,
      rejectedPart: 'input',
      parameter: empty,
    })
  }
  if (checked.ok) return { input: checked.input, isRight: true }
  const rejected = checked.problems.filter(({ kind }) => !isAccepted(service, kind))
  const [first] = rejected
  if (first === undefined) {
    return { input, isRight: checked.problems.every(({ kind }) => HARMLESS.includes(kind)) }
  }
  const assumptions = [...new Set(checked.problems.flatMap(({ assumption }) => assumption ?? []))]
  const problems = rejected.slice(0, 5).map(({ pointer, message }) => `/input${pointer}: ${message}`)
  const advice = `GET /v1/models/${encodeURIComponent(model.id)} shows what the model takes.`
  const message = `The input is not right. ${problems.join(' ')} ${advice}`
  return reject(service, first.kind, { message, rejectedPart: 'input', parameter: first.pointer.slice(1), assumptions })
}

/** Where such a parameter is accepted, it means nothing. */
const HARMLESS: readonly string[] = ['unknownParameter', 'optionalNull']

const PRIVATE_WARNING = 'The webhook leads to a private address: the service itself could not reach it.'

/**
 * Checks the webhook of a run. A private address gets a warning. Where other machines can reach the server, private and
 * loopback addresses are rejected: a caller could otherwise make it call what only it can reach. A user name and a
 * password in the URL are always rejected.
 *
 * @returns the rejection
 */
export function checkWebhook(
  service: Service,
  { permissions, account }: ApiKey,
  url: string | undefined,
): RouteResult | undefined {
  if (url === undefined) return undefined
  if (service.options.assumptions.webhookNeedsManage && !permissions.includes('webhooks:manage')) {
    const message =
      'The API key lacks the permission webhooks:manage that a run with webhook_url needs. Use a key that has it.'
    return { assumptions: ['webhookNeedsManage'], response: errorResponses.forbidden(message) }
  }
  if (!isDelivered(url)) return undefined
  if (hasUserInfo(url)) {
    const message = '/webhook_url must be without a user name and a password: the receiver gets neither.'
    return { rejectedPart: 'webhook', assumptions: ['webhookUserInfo'], response: errorResponses.invalid(message) }
  }
  const kind = isBuiltInReceiver(url, service.baseUrl) ? 'public' : targetKind(url)
  if (service.receivers.isGuarded && (kind === 'private' || kind === 'loopback')) {
    const message =
      '/webhook_url leads to a private address. This server can be reached by other machines, so it calls public ' +
      'addresses only, unless it was started with --allow-private-webhooks, or listen(server, { allowPrivateWebhooks: true }).'
    return { rejectedPart: 'webhook', response: errorResponses.invalid(message) }
  }
  if (kind === 'private') service.observer.warn(`warning: ${PRIVATE_WARNING}`, account)
  return undefined
}

/** `fetch` does not call such a URL. */
function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}
