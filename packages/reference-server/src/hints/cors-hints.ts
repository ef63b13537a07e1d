import type { HintContext } from './hint-scene.ts'

/** Longest origin that a hint repeats. */
const MAX_ORIGIN = 100

/** What lets a web page in: its browser asks first, and tells the page nothing of a response that does not allow it. */
export function corsHints({ request }: HintContext): string[] {
  const origin = request.headers.get('origin')
  const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
  if (origin === null || !isPreflight) return []
  const shown = origin.slice(0, MAX_ORIGIN)
  return [
    `A web page of ${shown} asks whether it may call this server: --cors ${shown} allows it, as does cors of listen.`,
  ]
}
