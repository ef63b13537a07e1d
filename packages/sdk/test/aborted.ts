import { getEventListeners } from 'node:events'
import { expect } from 'vitest'
import { AbortedError } from '../src/client/errors/transport-errors.ts'
import { caught } from './caught.ts'
import { settle } from './manual-clock.ts'

/** Makes a call, and aborts it while it waits. The error has the reason, and nothing is left on the signal. */
export async function aborted(call: (signal: AbortSignal) => PromiseLike<unknown>): Promise<AbortedError> {
  const controller = new AbortController()
  const failure = caught(call(controller.signal), AbortedError)
  await settle()
  controller.abort('enough')
  const error = await failure
  expect(error.cause).toBe('enough')
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  return error
}
