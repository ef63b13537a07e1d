import type { RouteName } from '@modelrun/contract'
import type { ReferenceServer } from '@modelrun/reference-server'
import { at } from '../../packages/conformance/src/json.ts'
import type { Deliver } from '../../packages/conformance/test/reference-service.ts'
import { type Edit, isFor, type Mutation, type Send, type WireRequest, type WireResponse } from './mutation.ts'

/** Responds with a body of another kind. */
export function raw(text: string, contentType = 'text/html'): Edit {
  return (response) => {
    response.json = undefined
    response.bytes = new TextEncoder().encode(text).buffer
    response.headers.set('content-type', contentType)
  }
}

/** Replaces the content type. */
export function contentType(value: string): Edit {
  return ({ headers }) => headers.set('content-type', value)
}

/** Whether the response to a run has this status. */
function says(word: string) {
  return (response: WireResponse): boolean => at(response.json, '/status') === word
}

/** Whether the response has a job with this status. */
export function reads(word: string) {
  return (response: WireResponse): boolean => at(response.json, '/data/status') === word
}

export const isCompleted = says('completed')
export const isQueued = says('queued')
export const isDone = reads('succeeded')
export const hasFailed = reads('failed')
export const isCancelled = reads('cancelled')

/** Responds with 202 to a run that was held. */
export function isHeld(response: WireResponse, request: WireRequest): boolean {
  return says('processing')(response) && !hasWebhook(request)
}

/** Responds with 202 to a run with `webhook_url`. */
export function isHooked(response: WireResponse, request: WireRequest): boolean {
  return says('processing')(response) && hasWebhook(request)
}

export function hasWebhook(request: WireRequest): boolean {
  return at(request.body, '/webhook_url') !== undefined
}

export function hasCode(...codes: readonly number[]) {
  return ({ status }: WireResponse): boolean => codes.includes(status)
}

/** The job of a request to a job's path. */
export function jobOf({ url }: WireRequest): string {
  return decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
}

/** Replaces the handling of some requests. */
export function instead(
  isWanted: (request: WireRequest) => boolean,
  response: (request: WireRequest, send: Send, server: ReferenceServer) => Promise<WireResponse>,
): Mutation {
  return {
    wrap: (send, server) => (request) => (isWanted(request) ? response(request, send, server) : send(request)),
  }
}

/** Changes a request's query before the server sees it. */
export function editQuery(change: (query: URLSearchParams, request: WireRequest) => void): Mutation {
  return instead(
    (request) => isFor(request, 'listModels'),
    (request, send) => {
      change(request.url.searchParams, request)
      return send(request)
    },
  )
}

/** Changes deliveries: their body, their URL, their method. */
export function posts(
  change: (delivery: { url: URL; method: string; body: Record<string, unknown> }) => unknown,
  isWanted: (body: Record<string, unknown>) => boolean = () => true,
): Mutation {
  return onDelivery((deliver, url, init) => {
    const delivery = { url: new URL(url), method: 'POST', body: JSON.parse(String(init.body)) }
    if (isWanted(delivery.body)) change(delivery)
    const { method, body } = delivery
    return deliver(String(delivery.url), { ...init, method, body: JSON.stringify(body) })
  })
}

export function onDelivery(
  tamper: (deliver: Deliver, ...delivery: Parameters<Deliver>) => Promise<Response>,
): Mutation {
  return { tamper: (deliver) => (url, init) => tamper(deliver, url, init) }
}

/** Edits the polls of the jobs of some runs. */
export function ofRuns(
  isWanted: (response: WireResponse, request: WireRequest) => boolean,
  ...edits: Edit[]
): Mutation {
  return {
    wrap: (send) => {
      const jobs = new Set<unknown>()
      return async (request) => {
        const response = await send(request)
        if (isFor(request, 'runModel') && isWanted(response, request)) jobs.add(at(response.json, '/job_id'))
        if (isFor(request, 'getJob') && jobs.has(jobOf(request))) for (const edit of edits) edit(response, request)
        return response
      }
    },
  }
}

/** Accepts a revoked key. */
export function revoked(route: RouteName): Mutation {
  return {
    wrap: (send, server, keys) => (request) => {
      if (isFor(request, route) && request.authorization === `Bearer ${keys.revoked}`)
        request.authorization = `Bearer ${server.apiKey}`
      return send(request)
    },
  }
}

/** Removes the key from the query, which the server would reject; false when the query has none. */
export function removeKeys({ searchParams }: URL, key: string): boolean {
  const names = [...searchParams].filter(([, value]) => value === key).map(([name]) => name)
  for (const name of names) searchParams.delete(name)
  return names.length > 0
}
