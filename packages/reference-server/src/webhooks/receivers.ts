import type { Account } from '../domain/account.ts'
import { isBuiltInReceiver, receiveDelivery } from './built-in-receiver.ts'
import type { Deliver } from './send-delivery.ts'

/** A webhook receiver in this process, such as `handle` of an inbox. */
export type WebhookReceiver = (request: Request) => Response | Promise<Response>

/** The receivers of deliveries: a receiver in this process, or the server at the URL. */
export class Receivers {
  #deliver: Deliver
  #isGuarded = false
  readonly #byAccount = new Map<Account, WebhookReceiver>()
  #forAll: WebhookReceiver | undefined

  readonly #baseUrl: () => string
  readonly #formerUrls: string[] = []

  constructor(deliver: Deliver, baseUrl: () => string) {
    this.#deliver = deliver
    this.#baseUrl = baseUrl
  }

  /** Whether deliveries go to public addresses only. */
  get isGuarded(): boolean {
    return this.#isGuarded
  }

  /** From now on deliveries go to public addresses only. @param deliver checks the address behind a name */
  guard(deliver: Deliver | undefined): void {
    this.#isGuarded = true
    this.#deliver = deliver ?? this.#deliver
  }

  /** Jobs of a fork may have a webhook to the built-in receiver of the server that it was forked from. */
  addFormerUrl(baseUrl: string): void {
    this.#formerUrls.push(baseUrl)
  }

  /** `undefined` as the receiver: from now on deliveries go to their addresses again. */
  set(receiver: WebhookReceiver | undefined, account?: Account): void {
    if (account === undefined) this.#forAll = receiver
    else if (receiver === undefined) this.#byAccount.delete(account)
    else this.#byAccount.set(account, receiver)
  }

  of(account: Account): Deliver {
    const receiver = this.#byAccount.get(account) ?? this.#forAll
    if (receiver !== undefined) return async (url, init) => receiver(new Request(url, init))
    return async (url, init) => (this.#isBuiltIn(url) ? receiveDelivery() : this.#deliver(url, init))
  }

  #isBuiltIn(url: string): boolean {
    return [this.#baseUrl(), ...this.#formerUrls].some((baseUrl) => isBuiltInReceiver(url, baseUrl))
  }
}
