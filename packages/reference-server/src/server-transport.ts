import type { Handle, IncomingRequest, ReplyOrFault, RequestContext } from './http/messages.ts'
import { readBaseUrl } from './options.ts'
import type { Fork, Forks } from './service/forks.ts'
import type { Service } from './service/service.ts'
import type { Send } from './webhooks/send-delivery.ts'

/** A fork that is to listen. */
export interface ForkedServer {
  readonly transport: ServerTransport
  close(): Promise<void>
}

/** A transport that gives each fork an address of its own. */
export interface ForkTransport extends Forks {
  /** Lets a fork listen. Its state follows. */
  open(fork: ForkedServer): Promise<Fork>
}

/** What a transport says of itself. */
export interface TransportSettings {
  /** URL at which it serves: from now on that of the server and of its files. */
  baseUrl?: string | undefined
  /**
   * For a transport that other machines can reach: from now on runs with a webhook at a private address are rejected. It sends
   * deliveries, and checks the address behind a name; the option `deliver` of the server goes first.
   */
  sendGuarded?: Send | undefined
  /** Lets each fork listen at an address of its own: from now on control requests can fork the server. */
  forks?: ForkTransport | undefined
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

/** The transport's side of a server. */
export function createTransport(
  service: Service,
  handle: Handle,
  openFork: (forks: ForkTransport) => Promise<Fork>,
): ServerTransport {
  return {
    handle,
    set: ({ baseUrl, sendGuarded, forks, isShown }) => {
      if (baseUrl !== undefined) {
        service.baseUrl = readBaseUrl('transport.set', baseUrl)
        service.activity.expectRemoteClients()
      }
      if (sendGuarded !== undefined) service.receivers.guard(sendGuarded)
      if (forks !== undefined) service.forks = { served: forks, open: () => openFork(forks) }
      if (isShown) service.observer.isShown = true
    },
  }
}
