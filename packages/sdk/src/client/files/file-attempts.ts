import type { Attempt } from '@modelrun/kit'
import { sleep } from '../../shared/clock.ts'
import type { Failure } from '../http/operation.ts'
import { isWorthRetrying, retryAfterOf, retryDelayMs } from '../http/status-policy.ts'
import type { DownloadScope, ResolvedDownload } from './resolve-download.ts'

/** The requests of one download that failed, and whether another one follows. */
export class FileAttempts {
  readonly #download: ResolvedDownload
  readonly #scope: DownloadScope
  readonly #list: Attempt[] = []
  #current: Pick<Attempt, 'startedAt' | 'status'> | undefined
  #failure: Failure | undefined
  /** Since the last new byte. */
  #retryCount = 0

  constructor(download: ResolvedDownload, scope: DownloadScope) {
    this.#download = download
    this.#scope = scope
  }

  /** The failure of the last request; undefined while a request is under way. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  get retriesLeft(): number {
    return this.#download.maxRetries - this.#retryCount
  }

  /** Every request that failed, in order. */
  list(): Attempt[] {
    return this.#list.map((attempt) => ({ ...attempt }))
  }

  start(): void {
    this.#failure = undefined
    this.#current = { startedAt: this.#now() }
  }

  respond(status: number): void {
    if (this.#current) this.#current.status = status
  }

  fail(failure: Failure): void {
    this.#failure = failure
    if (this.#current === undefined) return
    const { startedAt, status } = this.#current
    const reason = failure.kind === 'response' ? (failure.problem ?? `HTTP ${failure.received.status}`) : failure.reason
    this.#list.push({ startedAt, durationMs: this.#now() - startedAt, ...(status ? { status } : {}), reason })
    this.#current = undefined
  }

  /** A new byte has arrived: the retries count from 0 again. */
  progress(): void {
    this.#retryCount = 0
  }

  retryAfterMs(): number | undefined {
    return this.#failure && retryAfterOf(this.#failure, this.#now())
  }

  isRetryable(): boolean {
    return this.#failure !== undefined && isWorthRetrying('GET', this.#failure)
  }

  /** Milliseconds until the next request; undefined when there is none. */
  takeRetry(): number | undefined {
    if (this.retriesLeft <= 0 || !this.isRetryable()) return undefined
    const { random } = this.#download.client
    const delayMs = retryDelayMs({ retryCount: this.#retryCount, retryAfterMs: this.retryAfterMs(), random })
    if (delayMs === undefined || delayMs >= this.#scope.remainingMs()) return undefined
    this.#retryCount++
    const last = this.#list.at(-1)
    if (last) last.delayMs = delayMs
    return delayMs
  }

  pause(delayMs: number): Promise<void> {
    return sleep(this.#download.client.clock, delayMs, this.#scope.signal)
  }

  #now(): number {
    return this.#download.client.clock.now()
  }
}
