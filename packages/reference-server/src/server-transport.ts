import { readBaseUrl } from './service/options.ts'
import type { Service } from './service/service.ts'
import type { Send } from './webhooks/send-delivery.ts'
import type { Handle, IncomingRequest, ReplyOrFault, RequestContext } from './wire/messages.ts'

/** What a transport says of itself. */
interface TransportSettings {
  /** URL at which it serves: from now on that of the server and of its files. */
  baseUrl?: string | undefined
  /**
   * For a transport that other machines can reach: from now on runs with a webhook at a private address are rejected. It sends
   * deliveries, and checks the address behind a name; the option `deliver` of the server goes first.
   */
  sendGuarded?: Send | undefined
  /**
   * A dashboard shows the server: from now on it records headers, the responses of receivers, and what is done to it, without
   * secrets.
   */
  isShown?: true | undefined
}

/** What a transport, such as node http or MSW, needs of a server. */
export interface ServerTransport {
  /** Handles a request: the response as data, or the fault that the transport applies instead. Never throws or rejects. */
  handle(request: IncomingRequest, context: RequestContext): Promise<ReplyOrFault>
  /** Changes the server as the transport needs it. What is left out stays as it is. @throws ConfigurationError for a wrong `baseUrl` */
  set(settings: TransportSettings): void
}

export function createTransport(service: Service, handle: Handle): ServerTransport {
  return {
    handle,
    set: ({ baseUrl, sendGuarded, isShown }) => {
      if (baseUrl !== undefined) {
        service.baseUrl = readBaseUrl('transport.set', baseUrl)
        service.activity.expectRemoteClients()
      }
      if (sendGuarded !== undefined) service.receivers.guard(sendGuarded)
      if (isShown) service.observer.isShown = true
    },
  }
}
