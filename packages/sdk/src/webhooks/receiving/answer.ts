/** What a delivery is answered with: always short, and nothing of what was sent. */
const ANSWERS = {
  accepted: [202, 'accepted'],
  busy: [202, 'in progress'],
  waiting: [202, 'will be tried again'],
  done: [200, 'duplicate'],
  dead: [200, 'duplicate'],
  unauthorized: [401, 'The address has no token, or not the right one for this job.'],
  not_post: [405, 'A webhook delivery is a POST request.'],
  unavailable: [503, 'The delivery could not be stored.'],
  draining: [503, 'This receiver is about to end.'],
} as const

/** What came of a delivery, as far as its sender may know. */
export type AnswerKind = keyof typeof ANSWERS

export function answer(kind: AnswerKind): Response {
  const [status, message] = ANSWERS[kind]
  return respond(status, message, kind === 'not_post' ? { allow: 'POST' } : {})
}

export function respond(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ message }, { status, headers })
}
