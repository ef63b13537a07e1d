import { type Answer, isFault } from '../faults/fault.ts'

/** The response that a server gave; fails the test when it was a fault. */
export function responseOf(answer: Answer): Response {
  if (isFault(answer)) throw new Error(`Expected a response, got the fault ${answer.kind}.`)
  return answer
}
