import type { Experimental_VideoModelV4 as VideoModelV4 } from '@ai-sdk/provider'

type HandleWebhook = NonNullable<VideoModelV4['handleWebhookOption']>

/**
 * The calls of `generateVideo({ webhook })` that wait for a delivery. Deliveries get lost and are never repeated (section 6), so
 * each wait also ends when the polls find the end of the job.
 */
export class WebhookWaits {
  /** Several calls may have the same URL. */
  readonly #waits = new Set<{ url: string; end: () => void }>()

  /** Gets the URL of a call from its caller. */
  readonly add: HandleWebhook = async ({ webhook }) => {
    const { url, received } = await webhook()
    const polled = new Promise<Awaited<typeof received>>((resolve) => {
      this.#waits.add({ url, end: () => resolve({ headers: {}, body: {} }) })
    })
    // A receiver that fails is a delivery that is lost.
    const delivered = Promise.resolve(received).catch(() => polled)
    return { webhookUrl: url, received: Promise.race([delivered, polled]) }
  }

  /** Takes the wait of a call, as a function that ends it. */
  take(url: string | undefined): (() => void) | undefined {
    const first = [...this.#waits].find((wait) => wait.url === url)
    if (first) this.#waits.delete(first)
    return first?.end
  }
}
