import type { Core } from '../core.ts'
import { openScope } from '../scope.ts'
import { ApiPromise } from './api-promise.ts'
import type { CallOptions, Operation } from './operation.ts'

/** Calls one endpoint on its own: no deadline beyond the time limit of each attempt. */
export function request<T>(core: Core, operation: Operation<T>, options: CallOptions = {}): ApiPromise<T> {
  const scope = openScope({ clock: core.options.clock, signal: options.signal })
  return new ApiPromise(core.transport.call(operation, { scope, options }).finally(() => scope.close()))
}
