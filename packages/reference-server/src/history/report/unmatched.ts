import type { Account } from '../../domain/account.ts'
import { FairBuffer } from '../../retention/fair-buffer.ts'

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

const MAX_KEPT = 200

/** The newest requests that no route took. */
export class UnmatchedRequests {
  readonly #kept = new FairBuffer<Account | null, UnmatchedRequest>({ limit: MAX_KEPT })

  add(account: Account | null, request: UnmatchedRequest): void {
    this.#kept.add(account, request)
  }

  /** Of an account, or all. */
  of(account?: Account): readonly UnmatchedRequest[] {
    return account === undefined ? this.#kept.all() : this.#kept.of(account)
  }

  forget(account?: Account): void {
    this.#kept.forget(account)
  }
}
