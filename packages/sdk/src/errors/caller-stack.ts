import { isModelRunError } from './guard.ts'

/** A public function of this package. */
type PublicFunction = (...parameters: never[]) => unknown

/** Where the caller's program called a public function. Its text is made only when it is read. */
export interface Caller {
  readonly stack?: string | undefined
}

/**
 * Notes who called a public function that is running now. An error that comes later, out of a timer or after ten frames of
 * our own, could not show the caller's line any more.
 */
export function captureCaller(calledFunction: PublicFunction): Caller {
  if (typeof Error.captureStackTrace !== 'function') return new Error('')
  const caller: Caller = {}
  Error.captureStackTrace(caller, calledFunction)
  return caller
}

/** Gives an error of ours the stack of the caller, and returns it. Whatever else was thrown stays as it is. */
export function showCaller(error: unknown, caller: Caller): unknown {
  if (!isModelRunError(error) || typeof caller.stack !== 'string') return error
  // Firefox and Safari have no header above the frames.
  const frames = caller.stack.slice(Math.max(0, caller.stack.search(/^\s+at /m)))
  if (frames !== '') error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}

/** Does work for a public function that is running now; what it rejects with shows the caller's line. */
export async function rejectAtCaller<T>(calledFunction: PublicFunction, work: () => Promise<T>): Promise<T> {
  const caller = captureCaller(calledFunction)
  try {
    return await work()
  } catch (error) {
    throw showCaller(error, caller)
  }
}

/** Iterates for a public function that is running now; what an iteration throws shows the caller's line. */
export function throwAtCaller<T>(
  calledFunction: PublicFunction,
  iterate: (caller: Caller) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const caller = captureCaller(calledFunction)
  return iterateAtCaller(caller, iterate(caller))
}

async function* iterateAtCaller<T>(caller: Caller, source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* source
  } catch (error) {
    throw showCaller(error, caller)
  }
}
