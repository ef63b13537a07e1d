/** Path of a webhook receiver that the server itself has, to try webhooks without one. */
const BUILT_IN_PATH = '/_reference/receiver'

/** Whether a webhook leads to the built-in receiver of the server at `baseUrl`. */
export function isBuiltInReceiver(url: string, baseUrl: string): boolean {
  return url === `${baseUrl}${BUILT_IN_PATH}`
}

/** Accepts every delivery. */
export function receiveDelivery(): Response {
  return new Response(null, { status: 204 })
}
