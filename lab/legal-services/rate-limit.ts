import { type Reply, rejection } from './legal-responses.ts'

const WINDOW_MS = 1_000
const MAX_IN_WINDOW = 4

/** Lets 4 requests a second pass; the others are to come again after `Retry-After`. */
export class RateLimit {
  #passed: number[] = []
  readonly #form: 'none' | 'seconds' | 'date'

  constructor(form: 'none' | 'seconds' | 'date') {
    this.#form = form
  }

  /** @returns the response to a request that is too early */
  check(now: number): Reply | undefined {
    if (this.#form === 'none') return undefined
    this.#passed = this.#passed.filter((at) => at > now - WINDOW_MS)
    if (this.#passed.length < MAX_IN_WINDOW) {
      this.#passed.push(now)
      return undefined
    }
    const date = new Date(Math.ceil(now / 1_000) * 1_000 + 1_000).toUTCString()
    const rejected = rejection({ status: 429, code: 'RATE_LIMITED' }, 'Too many requests.')
    return { ...rejected, headers: { 'retry-after': this.#form === 'date' ? date : '1' } }
  }
}
