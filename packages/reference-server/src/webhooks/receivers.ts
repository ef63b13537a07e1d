import { callback, checkEach } from '@modelrun/kit'
import type { Account } from '../domain/account.ts'
import type { Send } from './send-delivery.ts'

/** Path of a webhook receiver that the server itself has, to try webhooks without one. */
const BUILT_IN_PATH = '/_reference/receiver'

/** Whether a webhook leads to the built-in receiver, under whatever address the server is known to its caller. */
export function isBuiltInReceiver(url: string): boolean {
  return new URL(url).pathname.endsWith(BUILT_IN_PATH)
}

/** Receives deliveries in this process: `handle` of an inbox, or a function that sends them on. */
export type Deliver = (request: Request) => Response | Promise<Response>

/** The receivers of deliveries: a receiver in this process, or the server at the URL. */
export class Receivers {
  readonly #deliver: Deliver | undefined
  #send: Send
  #isGuarded = false
  readonly #byAccount = new Map<Account, Deliver>()
  #forAll: Deliver | undefined

  constructor(deliver: Deliver | undefined) {
    this.#deliver = deliver
    // Looked up at each delivery, so that interception which starts later sees it.
    this.#send = (url, init) => globalThis.fetch(url, init)
  }

  /** Whether deliveries go to public addresses only. */
  get isGuarded(): boolean {
    return this.#isGuarded
  }

  /** From now on deliveries go to public addresses only. @param send checks the address behind a name */
  guard(send: Send): void {
    this.#isGuarded = true
    this.#send = send
  }

  /** `undefined` as the receiver: from now on deliveries go to their addresses again. */
  set(receiver: Deliver | undefined, account?: Account): void {
    checkEach('server.webhooks.deliver', { deliver: receiver }, { deliver: callback })
    if (account === undefined) this.#forAll = receiver
    else if (receiver === undefined) this.#byAccount.delete(account)
    else this.#byAccount.set(account, receiver)
  }

  of(account: Account): Send {
    const set = this.#byAccount.get(account) ?? this.#forAll
    return async (url, init) => {
      if (set === undefined && isBuiltInReceiver(url)) return new Response(null, { status: 204 })
      const receiver = set ?? this.#deliver
      return receiver === undefined ? this.#send(url, init) : receiver(new Request(url, init))
    }
  }
}
