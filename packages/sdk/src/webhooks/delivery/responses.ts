/** The responses to a delivery: always short, and nothing of what was sent. */
const RESPONSES = {
  accepted: [202, 'accepted'],
  unauthorized: [401, 'The URL has no token, or not the right one for this job.'],
  not_post: [405, 'A webhook delivery is a POST request.'],
  unavailable: [503, 'The delivery could not be stored.'],
  too_many: [503, 'There are too many deliveries that have to be verified.'],
  draining: [503, 'This receiver is about to end.'],
} as const

/** What became of a delivery, as far as its sender may know. */
export type ResponseKind = keyof typeof RESPONSES

export function responseOf(kind: ResponseKind): Response {
  const [status, message] = RESPONSES[kind]
  return respond(status, message, kind === 'not_post' ? { allow: 'POST' } : {})
}

export function respond(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ message }, { status, headers })
}
