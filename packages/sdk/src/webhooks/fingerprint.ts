import type { WebhookEvent } from './webhook-event.ts'

/**
 * Equal for two events that say the same of a job, also when one of them was found by looking at it. It tells an honest
 * duplicate from a different delivery, and guards nothing: so it need not be a cryptographic hash, which would be slower.
 */
export function fingerprintOf(event: WebhookEvent): string {
  const text = JSON.stringify([event.status, saidBy(event)])
  return `${text.length.toString(36)}.${hash(text, 0x811c9dc5)}.${hash(text, 0x01000193)}`
}

function saidBy(event: WebhookEvent): unknown {
  switch (event.status) {
    case 'succeeded':
      return event.output
    case 'failed':
      return event.error
    case 'unknown':
      return event.payload
  }
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hash(text: string, seed: number): string {
  let state = seed
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  }
  return (state >>> 0).toString(36)
}
