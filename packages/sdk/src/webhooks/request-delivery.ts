import { type Clock, systemClock } from '../clock.ts'
import { readRequest } from './read-body.ts'
import type { Delivery } from './receive.ts'

export interface RequestDeliveryOptions {
  clock?: Clock | undefined
  waitUntil?: Delivery['waitUntil']
}

/** A web-standard request as a delivery. */
export function toDelivery(
  request: Request,
  { clock = systemClock, waitUntil }: RequestDeliveryOptions = {},
): Delivery {
  return { method: request.method, url: request.url, readBody: () => readRequest(request, clock), waitUntil }
}
