/** Where the service's webhook deliveries arrive, for instance a port that a public address forwards to. */
export interface WebhookReceiver {
  /** Address by which the service reaches it; the suite puts paths behind it. */
  readonly url: string
  /** Takes the function that answers whatever arrives. Called once, when the suite starts. */
  onRequest(response: (request: Request) => Promise<Response>): void
}
