import { isFault, type ResponseOrFault } from '../faults/fault.ts'

/** The response that a server gave; fails the test when it was a fault. */
export function responseOf(answer: ResponseOrFault): Response {
  if (isFault(answer)) throw new Error(`Expected a response, got the fault ${answer.kind}.`)
  return answer
}
