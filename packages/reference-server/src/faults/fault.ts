/**
 * What a transport does with a request instead of responding. Data, not an exception: each transport applies it as its
 * clients would see it.
 */
export type Fault = ConnectionFault | BodyFault

/** There is no response. */
export interface ConnectionFault {
  readonly kind: 'reset' | 'empty-reply' | 'refused'
}

/** There is a response with a `content-length`, but its body breaks off or is slow. */
export interface BodyFault {
  readonly kind: 'truncated-body' | 'slow-body'
  /** Makes the response; its body ends in an error where the connection breaks. */
  open(): Response
}

/** The result of a request. */
export type ResponseOrFault = Response | Fault

// Not by `instanceof`: under some test runners there is more than one `Response`.
export function isFault(result: ResponseOrFault): result is Fault {
  return 'kind' in result
}
