import { ModelRunError } from '@modelrun/kit'
import type { ApiResult } from './operation.ts'

/**
 * The promise of one HTTP call. Awaiting it gives the data; `withResponse()` gives the HTTP response too.
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #result: Promise<ApiResult<T>>
  #data: Promise<T> | undefined

  /** @internal */
  constructor(result: Promise<ApiResult<T>>) {
    // Never read: `then` below uses #result, so an unhandled rejection is reported once.
    super(() => {})
    this.#result = result
  }

  /** The data with the HTTP response (its body has been read) and the service's id of the request. */
  withResponse(): Promise<ApiResult<T>> {
    return this.#result
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#settled().then(onFulfilled, onRejected)
  }

  override catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#settled().catch(onRejected)
  }

  override finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#settled().finally(onFinally)
  }

  #settled(): Promise<T> {
    this.#data ??= this.#result.then(({ data }) => data)
    return this.#data
  }
}

/** A public function of this package. */
type PublicFunction = (...parameters: never[]) => unknown

/** The place where a program called a public function. The engine makes the text when it is read. */
export interface Caller {
  readonly stack?: string | undefined
}

/**
 * Captures the caller of the public function that is running now. An error that is thrown later, in a timer or below ten
 * frames of this package, would not show the caller's line.
 */
export function captureCaller(calledFunction: PublicFunction): Caller {
  if (typeof Error.captureStackTrace !== 'function') return new Error('')
  const caller: Caller = {}
  Error.captureStackTrace(caller, calledFunction)
  return caller
}

/** Gives an error of this package the stack of the caller, and returns it. Other values are returned unchanged. */
export function showCaller(error: unknown, caller: Caller): unknown {
  if (!(error instanceof ModelRunError) || typeof caller.stack !== 'string') return error
  // Firefox and Safari have no header above the frames.
  const frames = caller.stack.slice(Math.max(0, caller.stack.search(/^\s+at /m)))
  if (frames !== '') error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}

/** Does the work of the public function that is running now. A rejection shows the caller's line. */
export async function rejectAtCaller<T>(calledFunction: PublicFunction, work: () => Promise<T>): Promise<T> {
  const caller = captureCaller(calledFunction)
  try {
    return await work()
  } catch (error) {
    throw showCaller(error, caller)
  }
}

/** Iterates for the public function that is running now. An error of an iteration shows the caller's line. */
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
