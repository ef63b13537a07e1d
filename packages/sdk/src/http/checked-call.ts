import { CALL_OPTIONS } from '../arguments/call-options.ts'
import { readOptions } from '../arguments/read-options.ts'
import type { Core } from '../core.ts'
import { ApiPromise } from './api-promise.ts'
import type { CallOptions, Operation } from './operation.ts'
import { request } from './request.ts'

/** A call of one endpoint, as its user writes it. */
export interface UserCall {
  place: string
  options: CallOptions
}

/** Calls one endpoint for a user. What is wrong with an argument is what the promise rejects with. */
export function checkedCall<T>(core: Core, call: UserCall, operation: () => Operation<T>): ApiPromise<T> {
  try {
    return request(core, operation(), readOptions(call.place, call.options, CALL_OPTIONS))
  } catch (error) {
    return new ApiPromise<T>(Promise.reject(error))
  }
}
