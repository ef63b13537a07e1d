import { type Clock, systemClock } from '../clock.ts'
import { readRequest } from '../serving/read-body.ts'
import type { Delivery } from './receive.ts'
import { WEBHOOK_BODY } from './webhook-body.ts'

export interface RequestDeliveryOptions {
  clock?: Clock | undefined
  waitUntil?: Delivery['waitUntil']
}

/** A web-standard request as a delivery. */
export function toDelivery(
  request: Request,
  { clock = systemClock, waitUntil }: RequestDeliveryOptions = {},
): Delivery {
  return {
    method: request.method,
    url: request.url,
    readBody: () => readRequest(request, clock, WEBHOOK_BODY),
    waitUntil,
  }
}
