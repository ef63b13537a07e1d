import type { ApiResult } from './operation.ts'

/** The promise of one HTTP call. Awaiting it gives the data; `withResponse()` gives the HTTP response too. */
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
