import { type RunRequest, runRequestSchema } from '@modelrun/contract'
import { parseShape } from '../../parse-shape.ts'
import type { Service } from '../../service/service.ts'
import type { AppContext } from '../app-env.ts'
import { isJson, readJson } from '../read-json-body.ts'
import { isAccepted, reject } from '../reject.ts'

const MEMBERS = ['input', 'sync', 'webhook_url']

/** Reads the body of a run (section 4.3); what is not right is rejected, or left out where it is accepted. Never rejects. */
export async function readRunBody(service: Service, context: AppContext): Promise<RunRequest | Response> {
  const { trace } = context.env
  const scene = { service, trace }
  if (!isJson(context.req.raw.headers.get('content-type')) && !isAccepted(service, 'otherContentType')) {
    const advice = 'Send the body as JSON with the header Content-Type: application/json.'
    return reject(scene, 'otherContentType', advice)
  }
  const read = await readJson(context.req.raw, trace)
  if (read instanceof Response) return read
  if (typeof read === 'string') return reject(scene, 'brokenJson', read)
  const body = accepted(service, read.json)
  const checked = parseShape(runRequestSchema, body)
  if (checked.ok) return checked.value
  return reject(scene, kindOf(body), `The body is not right. ${checked.message}`)
}

/** Without what is accepted and means nothing. */
function accepted(service: Service, body: unknown): unknown {
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
