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

/** Does the work of a public function. A rejection shows the line of the program that awaits it. */
export async function rejectAtCaller<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // What fails at once fails before the program awaits it.
    await undefined
    throw showCaller(error, rejectAtCaller)
  }
}

/** Iterates for a public function. An error of an iteration, and the `reason` of what is yielded, show the line of the loop. */
export async function* throwAtCaller<T extends object>(source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    for await (const value of source) {
      showCaller(Reflect.get(value, 'reason'), throwAtCaller)
      yield value
    }
  } catch (error) {
    throw showCaller(error, throwAtCaller)
  }
}

/** Frames of engines between a function that continues and the function that awaits it. */
const ENGINE_FRAMES = /^( +at .*(processTicksAndRejections|runMicrotasks).*\n)*/

/**
 * Gives an error of this package the stack of the program that awaits it, without the frames of timers and of this package.
 * Nothing is captured before a call fails: that would cost each call more than all else that the client does. An error that
 * no program awaits keeps its own stack, and so do errors in engines whose stacks end at an `await`.
 */
function showCaller(error: unknown, continued: (...parameters: never[]) => unknown): unknown {
  if (!(error instanceof ModelRunError)) return error
  const caller: { stack?: unknown } = {}
  Error.captureStackTrace?.(caller, continued)
  // Firefox and Safari write frames otherwise.
  const [frames = ''] = /^ +at .*/ms.exec(String(caller.stack)) ?? []
  const awaiting = frames.replace(ENGINE_FRAMES, '')
  if (awaiting !== '') error.stack = `${error.name}: ${error.message}\n${awaiting}`
  return error
}
