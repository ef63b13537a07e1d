import { Random } from '../shared/random.ts'
import type { FaultEndpoint, FaultOptions } from './fault-options.ts'
import { fitsInput } from './input-condition.ts'

/** A fault that was added, and what it has done so far. */
export interface FaultRecord {
  /** Its name within the account, `fault_1` and so on. */
  readonly id: string
  /** The options that the fault was injected with. */
  readonly fault: Readonly<FaultOptions>
  /** Number of requests that it was injected into. */
  readonly used: number
  /** Whether it was injected less often than it should: never, or not `times` times. */
  readonly unused: boolean
}

/** A fault that was added: `used` and `unused` are as of now. */
export interface AddedFault extends FaultRecord {
  /** Removes it: it is not injected any more, and not listed. */
  remove(): void
}

/** The faults of an account as JSON. */
export interface FaultsState {
  /** How many faults were added by now. */
  added: number
  /** `random`: where the random numbers stand. */
  rules: readonly { id: string; fault: Readonly<FaultOptions>; used: number; random: readonly number[] }[]
}

/** What a fault is chosen by. */
export interface FaultTarget {
  endpoint: FaultEndpoint
  /** The model that the request is about. */
  model: string | undefined
  /** The input of the run, or of that of its job; `undefined`: there is none. */
  input: unknown
}

/** The faults of one account, in the order in which they were added. */
export class AccountFaults {
  #seed: number
  readonly #rules = new Map<string, FaultRule>()
  #lastNumber = 0

  /** @param seed of the server: the same seed selects the same requests */
  constructor(seed: number) {
    this.#seed = seed
  }

  add(fault: FaultOptions): AddedFault {
    const id = `fault_${++this.#lastNumber}`
    // Random numbers of its own, so that neither other faults nor the ids of jobs change which requests it selects.
    const rule = new FaultRule(id, fault, Random.of(id, this.#seed))
    this.#rules.set(id, rule)
    const remove = () => void this.remove(id)
    return Object.assign(rule, { remove })
  }

  /** The first fault that matches the request; its `used` rises. */
  take(target: FaultTarget): FaultRecord | undefined {
    for (const rule of this.#rules.values()) {
      if (rule.use(target)) return rule
    }
    return undefined
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0
  }

  /** Every fault as it is now, used up ones included. */
  list(): FaultRecord[] {
    return [...this.#rules.values()].map(({ id, fault, used, unused }) => ({ id, fault, used, unused }))
  }

  /** The state from which another server can continue. */
  state(): FaultsState {
    return { added: this.#lastNumber, rules: [...this.#rules.values()].map((rule) => rule.state()) }
  }

  /** Continues from where the faults of another server stood, with its seed. */
  restore({ added, rules }: FaultsState, seed = this.#seed): void {
    this.#seed = seed
    this.#lastNumber = added
    this.#rules.clear()
    for (const { id, fault, used, random } of rules) {
      const rule = new FaultRule(id, fault, Random.of(id, this.#seed))
      rule.random.restore(random)
      rule.used = used
      this.#rules.set(id, rule)
    }
  }

  /** @returns whether there was one of that name */
  remove(id: string): boolean {
    return this.#rules.delete(id)
  }

  /** @returns how many there were */
  clear(): number {
    const { size } = this.#rules
    this.#rules.clear()
    return size
  }
}

class FaultRule implements FaultRecord {
  readonly id: string
  readonly fault: Readonly<FaultOptions>
  used = 0
  readonly random: Random

  constructor(id: string, fault: FaultOptions, random: Random) {
    this.id = id
    this.fault = fault
    this.random = random
  }

  get unused(): boolean {
    return this.used < (this.fault.times ?? 1)
  }

  state(): FaultsState['rules'][number] {
    return { id: this.id, fault: this.fault, used: this.used, random: this.random.state() }
  }

  use(target: FaultTarget): boolean {
    const { fault } = this
    if (this.used >= (fault.times ?? Number.POSITIVE_INFINITY)) return false
    if (fault.route !== undefined && fault.route !== target.endpoint) return false
    if (fault.model !== undefined && fault.model !== target.model) return false
    const owner = `the fault ${this.id} (${fault.kind})`
    if (typeof fault.when === 'object' && !fitsInput(fault.when, target.input, owner)) return false
    if (this.random.between(0, 1) >= (fault.probability ?? 1)) return false
    this.used++
    return true
  }
}
