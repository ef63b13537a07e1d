import type { Account } from '../domain/account.ts'
import type { DeliveryRecord } from './delivery-record.ts'

interface Reader {
  resolve(record: DeliveryRecord): void
  reject(error: Error): void
}

/** The finished deliveries, by account, and those who wait for the next one. */
export class DeliveryLog {
  readonly #byAccount = new Map<Account, DeliveryRecord[]>()
  #unread: DeliveryRecord[] = []
  #readers: Reader[] = []
  #isClosed = false

  add(account: Account, record: DeliveryRecord): void {
    const records = this.#byAccount.get(account)
    if (records === undefined) this.#byAccount.set(account, [record])
    else records.push(record)
    const reader = this.#readers.shift()
    if (reader === undefined) this.#unread.push(record)
    else reader.resolve(record)
  }

  /** In the order in which they finished. */
  of(account: Account): readonly DeliveryRecord[] {
    return this.#byAccount.get(account) ?? []
  }

  /** The next finished delivery of any account that was not returned here yet. */
  next(): Promise<DeliveryRecord> {
    const record = this.#unread.shift()
    if (record !== undefined) return Promise.resolve(record)
    if (this.#isClosed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }))
  }

  forget(account?: Account): void {
    const gone = new Set(account === undefined ? this.#unread : this.of(account))
    this.#unread = this.#unread.filter((record) => !gone.has(record))
    if (account === undefined) this.#byAccount.clear()
    else this.#byAccount.delete(account)
  }

  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) reader.reject(closedError())
    this.#readers = []
  }
}

function closedError(): Error {
  return new Error('The reference server was closed before another webhook delivery finished.')
}
