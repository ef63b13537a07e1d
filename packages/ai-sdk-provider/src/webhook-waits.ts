import type { Experimental_VideoModelV4 as VideoModelV4 } from '@ai-sdk/provider'

type HandleWebhook = NonNullable<VideoModelV4['handleWebhookOption']>
type Webhook = Parameters<HandleWebhook>[0]['webhook']

/**
 * The calls of `generateVideo({ webhook })` that wait for a delivery. Deliveries get lost and are never repeated (section 6), so
 * each wait also ends when the polls find the end of the job.
 */
export class WebhookWaits {
  /** By URL: several calls may have the same. */
  readonly #waits = new Map<string, (() => void)[]>()

  /** Gets the URL of a call from its caller. */
  async add(webhook: Webhook): Promise<Awaited<ReturnType<HandleWebhook>>> {
    const { url, received } = await webhook()
    const polled = new Promise<Awaited<typeof received>>((resolve) => {
      const end = () => resolve({ headers: {}, body: {} })
      this.#waits.set(url, [...(this.#waits.get(url) ?? []), end])
    })
    // A receiver that fails is a delivery that is lost.
    const delivered = Promise.resolve(received).catch(() => polled)
    return { webhookUrl: url, received: Promise.race([delivered, polled]) }
  }

  /** Takes the wait of a call, as a function that ends it. */
  take(url: string | undefined): (() => void) | undefined {
    if (url === undefined) return undefined
    const [first, ...others] = this.#waits.get(url) ?? []
    if (others.length === 0) this.#waits.delete(url)
    else this.#waits.set(url, others)
    return first
  }
}
