import { readOptions } from '@modelrun/kit'
import { openScope } from '../../shared/clock.ts'
import { CALL_OPTIONS, checkArguments } from '../call-options.ts'
import type { Core } from '../core.ts'
import { ApiPromise } from './api-promise.ts'
import type { ApiResult, CallContext, CallOptions, Operation } from './operation.ts'

/** The call of a public method. */
export interface RequestContext {
  /** The method as the user writes it. */
  place: string
  options: CallOptions
}

/** Calls one endpoint with arguments of the user. Its only time limit is that of each attempt. */
export function request<T>(core: Core, operation: Operation<T>, context: RequestContext): ApiPromise<T> {
  const send = (call: CallContext) => core.transport.call(operation, call)
  return requestBy(core, operation.parameters ?? {}, { ...context, send })
}

/** As {@link request}, for a method that may need several requests. */
export function requestBy<T>(
  core: Core,
  parameters: Record<string, string>,
  { place, options, send }: RequestContext & { send: (call: CallContext) => Promise<ApiResult<T>> },
): ApiPromise<T> {
  const work = async () => {
    checkArguments(place, parameters)
    return await within(core, readOptions(place, options, CALL_OPTIONS), send)
  }
  return new ApiPromise(work())
}

/** As {@link request}, with arguments that have been checked. */
export function callOnce<T>(core: Core, operation: Operation<T>, options: CallOptions): Promise<ApiResult<T>> {
  return within(core, options, (call) => core.transport.call(operation, call))
}

async function within<T>(core: Core, options: CallOptions, send: (call: CallContext) => Promise<T>): Promise<T> {
  const scope = openScope({ clock: core.options.clock, signal: options.signal })
  try {
    return await send({ scope, options })
  } finally {
    scope.close()
  }
}
