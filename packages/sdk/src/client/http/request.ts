import { readOptions } from '@modelrun/kit'
import { openScope } from '../../shared/clock.ts'
import { CALL_OPTIONS, checkArguments } from '../call-options.ts'
import type { Core } from '../core.ts'
import { ApiPromise } from './api-promise.ts'
import type { ApiResult, CallOptions, Operation } from './operation.ts'

/** The call of a public method. */
export interface RequestContext {
  /** The method as the user writes it. */
  place: string
  options: CallOptions
}

/** Calls one endpoint with arguments of the user. Its only time limit is that of each attempt. */
export function request<T>(core: Core, operation: Operation<T>, context: RequestContext): ApiPromise<T> {
  const { place, options } = context
  const work = async () => {
    checkArguments(place, operation.parameters ?? {})
    return await callOnce(core, operation, readOptions(place, options, CALL_OPTIONS))
  }
  return new ApiPromise(work())
}

/** As {@link request}, with arguments that have been checked. */
export async function callOnce<T>(core: Core, operation: Operation<T>, options: CallOptions): Promise<ApiResult<T>> {
  const scope = openScope({ clock: core.options.clock, signal: options.signal })
  try {
    return await core.transport.call(operation, { scope, options })
  } finally {
    scope.close()
  }
}
