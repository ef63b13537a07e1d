import type { Account } from '../domain/account.ts'
import { FairBuffer } from './fair-buffer.ts'

/** A request that no route of the service takes. */
export interface UnmatchedRequest {
  /** HTTP method. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** HTTP status of the response, 404 or 405. */
  readonly status: number
  /** What was probably meant. */
  readonly hint?: string | undefined
}

const MAX_STORED = 200

/** The newest requests that no route took. */
export class UnmatchedRequests {
  readonly #stored = new FairBuffer<Account | null, UnmatchedRequest>({ limit: MAX_STORED })

  add(account: Account | null, request: UnmatchedRequest): void {
    this.#stored.add(account, request)
  }

  /** Of an account, or all. */
  of(account?: Account): readonly UnmatchedRequest[] {
    return account === undefined ? this.#stored.all() : this.#stored.of(account)
  }

  forget(account?: Account): void {
    this.#stored.forget(account)
  }
}
