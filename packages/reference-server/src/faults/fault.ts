/**
 * What a transport does with a request instead of answering it. Data, not an exception: each transport enacts it in the
 * way in which its clients would meet it.
 */
export type Fault = ConnectionFault | BodyFault

/** There is no answer. */
export interface ConnectionFault {
  readonly kind: 'reset' | 'empty-reply' | 'refused'
}

/** There is an answer, with a `content-length`, but its body breaks off or takes its time. */
export interface BodyFault {
  readonly kind: 'truncated-body' | 'slow-body'
  /** Makes the answer; its body ends in an error where the connection breaks. */
  open(): Response
}

/** What comes of a request. */
export type ResponseOrFault = Response | Fault

// Not by `instanceof`: under some test runners there is more than one `Response`.
export function isFault(answer: ResponseOrFault): answer is Fault {
  return 'kind' in answer
}
