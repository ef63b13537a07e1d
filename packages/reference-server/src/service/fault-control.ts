import { rejectArgument } from '@modelrun/kit'
import type { Account } from '../domain/account.ts'
import type { AddedFault, FaultRecord } from '../domain/account-faults.ts'
import type { FaultOptions } from '../domain/fault-options.ts'
import { readFault } from '../domain/read-fault.ts'
import { shapeProblem } from '../shared/parse-shape.ts'
import type { Service } from './service.ts'

/** Makes requests go wrong. Without a `key` the account of the first key is meant. */
export interface FaultControl {
  /**
   * Adds a fault to those of an account. Of several that match a request, the one that was added first is injected.
   *
   * @throws ConfigurationError that says what is wrong with the fault
   */
  add(fault: FaultOptions, key?: string): AddedFault
  /** The faults of an account as they stand now, used up ones included. */
  list(key?: string): readonly FaultRecord[]
  /** Removes the faults of an account. */
  clear(key?: string): void
}

export function controlFaults(service: Service, accountOf: (key?: string) => Account): FaultControl {
  return {
    add: (fault, key) => {
      const faults = accountOf(key).faults
      const checked = readFault(fault, service.models)
      if (!checked.ok) rejectArgument('faults.add', 'fault', shapeProblem(checked.message))
      return faults.add(checked.value)
    },
    list: (key) => accountOf(key).faults.list(),
    clear: (key) => void accountOf(key).faults.clear(),
  }
}
