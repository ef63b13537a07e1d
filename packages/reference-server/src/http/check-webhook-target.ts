import type { Service } from '../service/service.ts'
import { targetKind } from '../webhooks/webhook-target.ts'
import { refusals } from './refusals.ts'
import type { RequestTrace } from './request-trace.ts'
import { warn } from './warn.ts'

/**
 * Looks where the webhook of a run leads. A private address gets a warning; where other machines can reach the server,
 * it is refused, as is the loopback: they could otherwise make it call what only it can reach.
 */
export function checkWebhookTarget(
  service: Service,
  trace: RequestTrace,
  url: string | undefined,
): Response | undefined {
  const kind = url === undefined ? 'public' : targetKind(url)
  if (service.receivers.isGuarded && (kind === 'private' || kind === 'loopback')) {
    return refusals.invalid(
      '/webhook_url leads to a private address. This server can be reached by other machines, so it calls public ' +
        'addresses only, unless it was started with allowPrivateWebhooks (--allow-private-webhooks).',
    )
  }
  if (kind === 'private') {
    warn(service, trace, 'The webhook leads to a private address: the service itself could not reach it.')
  }
  return undefined
}
