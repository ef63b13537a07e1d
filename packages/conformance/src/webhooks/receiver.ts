/** Receives the service's webhook deliveries, for instance a port that a public URL forwards to. */
export interface WebhookReceiver {
  /** Public URL of the receiver; the suite appends paths. */
  readonly url: string
  /** Registers the handler of all requests. Called once, when the suite starts. */
  onRequest(handler: (request: Request) => Promise<Response>): void
}
