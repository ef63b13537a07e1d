import { afterRealTime } from '../clock/real-time.ts'
import type { Account } from '../domain/account.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import { FairBuffer } from '../shared/fair-buffer.ts'

export interface DeliveryFilter {
  /** Of this account. Default: of any. */
  account?: Account | undefined
  /** Of this job. Default: of any. */
  jobId?: string | undefined
  /** How long to wait, in real time. Default: for ever. */
  timeoutMs?: number | undefined
  /** Ends the wait; a reader that has gone is given nothing. */
  signal?: AbortSignal | undefined
}

/** The finished deliveries, by account, and the readers that wait for the next one. */
export class DeliveryLog {
  readonly #stored: FairBuffer<Account, DeliveryRecord>
  /** Those that no reader has got yet, oldest first. */
  readonly #unread = new Map<DeliveryRecord, Account>()
  readonly #readers = new Set<{ filter: DeliveryFilter; end(result: DeliveryRecord | Error): void }>()
  #isClosed = false

  /** @param limit of stored deliveries */
  constructor(limit: number) {
    this.#stored = new FairBuffer({ limit, onEvict: (record) => this.#unread.delete(record) })
  }

  add(account: Account, record: DeliveryRecord): void {
    const reader = [...this.#readers].find(({ filter }) => fits(filter, account, record))
    if (reader === undefined) this.#unread.set(record, account)
    else reader.end(record)
    this.#stored.add(account, record)
  }

  /** In the order in which they finished. */
  of(account: Account): readonly DeliveryRecord[] {
    return this.#stored.of(account)
  }

  /** Those that no reader has got yet, oldest first. */
  unread(): DeliveryRecord[] {
    return [...this.#unread.keys()]
  }

  /** Adds a delivery of another server. */
  adopt(account: Account, record: DeliveryRecord, isUnread: boolean): void {
    if (isUnread) this.#unread.set(record, account)
    this.#stored.add(account, record)
  }

  /** The next finished delivery that fits and was not returned here yet. */
  next(filter: DeliveryFilter = {}): Promise<DeliveryRecord> {
    if (filter.signal?.aborted) return Promise.reject(goneError())
    for (const [record, account] of this.#unread) {
      if (!fits(filter, account, record)) continue
      this.#unread.delete(record)
      return Promise.resolve(record)
    }
    return this.#isClosed ? Promise.reject(closedError()) : this.#wait(filter)
  }

  forget(account?: Account): void {
    for (const [record, owner] of this.#unread) {
      if (account === undefined || owner === account) this.#unread.delete(record)
    }
    this.#stored.forget(account)
  }

  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) reader.end(closedError())
  }

  #wait(filter: DeliveryFilter): Promise<DeliveryRecord> {
    return new Promise((resolve, reject) => {
      const end = (result: DeliveryRecord | Error) => {
        this.#readers.delete(reader)
        stopTimer()
        filter.signal?.removeEventListener('abort', leave)
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
      const reader = { filter, end }
      const leave = () => end(goneError())
      const expire = () => end(timeoutError(filter, this.#unreadIdsFor(filter)))
      const stopTimer = filter.timeoutMs === undefined ? () => {} : afterRealTime(filter.timeoutMs, expire)
      filter.signal?.addEventListener('abort', leave, { once: true })
      this.#readers.add(reader)
    })
  }

  #unreadIdsFor({ account }: DeliveryFilter): string[] {
    return [...this.#unread].filter(([, owner]) => (account ?? owner) === owner).map(([{ job_id }]) => job_id)
  }
}

function fits(filter: DeliveryFilter, account: Account, { job_id }: DeliveryRecord): boolean {
  return (filter.account ?? account) === account && (filter.jobId ?? job_id) === job_id
}

function closedError(): Error {
  return new Error('The reference server was closed before another webhook delivery finished.')
}

function goneError(): Error {
  return new Error('The reader of the next webhook delivery has gone.')
}

function timeoutError({ jobId, timeoutMs }: DeliveryFilter, unreadIds: readonly string[]): Error {
  const of = jobId === undefined ? '' : ` of job ${jobId}`
  const others = unreadIds.length === 0 ? '' : ` Not read yet: those of ${unreadIds.slice(-5).join(', ')}.`
  return new Error(
    `No webhook delivery${of} finished within ${timeoutMs} ms of real time.${others} Does the run have a webhook_url, ` +
      "has its job ended, and does time pass? With clock: 'manual' it passes by clock.advance(ms).",
  )
}
