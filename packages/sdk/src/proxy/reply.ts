import type { ErrorBody } from '@modelrun/contract'

/** Nothing of a response is for caches, for other origins, or to be taken for anything but JSON. */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

type HeaderValues = Readonly<Record<string, string | undefined>>

/** A response of the proxy. */
export function reply(status: number, body: object, headers: HeaderValues = {}): Response {
  return Response.json(body, { status, headers: present({ ...HEADERS, ...headers }) })
}

/** A response with the error body of the service (section 7). */
export function rejection(
  status: number,
  [code, message]: readonly [string, string],
  headers?: HeaderValues,
): Response {
  return reply(status, { error: { code, message } } satisfies ErrorBody, headers)
}

/** Says that nothing was sent or accepted, and when to try again. Clients take it for a certain rejection of a run. */
export function unavailable(message: string, retryAfterS = 5): Response {
  return rejection(503, ['UNAVAILABLE', message], { 'retry-after': String(retryAfterS) })
}

/** Ids of models and jobs that are not there for this user, each for the same reason. */
export const unknownModel = () => rejection(404, ['NOT_FOUND', 'There is no such model.'])
export const unknownJob = () => rejection(404, ['NOT_FOUND', 'There is no such job.'])

function present(headers: HeaderValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
