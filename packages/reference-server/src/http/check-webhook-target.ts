import type { Service } from '../service/service.ts'
import { targetKind } from '../webhooks/webhook-target.ts'
import { errorResponses } from './error-responses.ts'
import type { RequestTrace } from './request-trace.ts'
import { warn } from './warn.ts'

const ALLOW_PRIVATE =
  'To let webhooks lead to private addresses, as between containers, start the server with --allow-private-webhooks, ' +
  'or listen(server, { allowPrivateWebhooks: true }).'

/**
 * Looks where the webhook of a run leads. A private address gets a warning; where other machines can reach the server,
 * it is refused, as is the loopback: they could otherwise make it call what only it can reach. A name and a password in
 * the URL are refused everywhere.
 */
export function checkWebhookTarget(
  service: Service,
  trace: RequestTrace,
  url: string | undefined,
): Response | undefined {
  if (url !== undefined && hasUserInfo(url)) {
    trace.refusedFor = 'webhook'
    trace.assumptions = ['webhookUserInfo']
    return errorResponses.invalid('/webhook_url must be without a user name and a password: the receiver gets neither.')
  }
  const kind = url === undefined ? 'public' : targetKind(url)
  if (service.receivers.isGuarded && (kind === 'private' || kind === 'loopback')) {
    trace.refusedFor = 'webhook'
    trace.hints = [ALLOW_PRIVATE]
    return errorResponses.invalid(
      '/webhook_url leads to a private address. This server can be reached by other machines, so it calls public ' +
        'addresses only, unless it was started with allowPrivateWebhooks (--allow-private-webhooks).',
    )
  }
  if (kind === 'private') {
    warn(service, trace, 'The webhook leads to a private address: the service itself could not reach it.')
  }
  return undefined
}

/** `fetch` calls no such URL. */
function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}
