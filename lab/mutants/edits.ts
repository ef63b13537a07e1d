import type { RouteName } from '@modelrun/contract'
import { at, isRecord } from '../../packages/conformance/src/json.ts'
import type { Deliver } from '../../packages/conformance/test/reference-service.ts'
import { after, bodyOf, isFor, type Mutation, type WireRequest, type WireResponse } from './mutation.ts'

/** Changes a response. */
export type Edit = (response: WireResponse, request: WireRequest) => void

export type IsWanted = (response: WireResponse, request: WireRequest) => boolean

/** Returns the new value at a pointer. */
type Change = (old: never, response: WireResponse, request: WireRequest) => unknown

/** Sets the value at a pointer, where `*` is every item. A function gets the old value; `undefined` removes it. */
export function put(pointer: string, value: unknown): Edit {
  const names = pointer.split('/').slice(1)
  return (response, request) => {
    const change = typeof value === 'function' ? (value as Change) : () => value
    response.json = putAt(response.json, names, (old) => change(old as never, response, request))
  }
}

function putAt(parent: unknown, [name, ...rest]: readonly string[], change: (old: unknown) => unknown): unknown {
  if (name === undefined) return change(parent)
  if (Array.isArray(parent))
    return parent.map((item, index) => (name === '*' || name === String(index) ? putAt(item, rest, change) : item))
  if (!isRecord(parent)) return parent
  const members = new Map(Object.entries(parent))
  for (const one of name === '*' ? [...members.keys()] : [name])
    if (rest.length === 0 || members.has(one)) members.set(one, putAt(members.get(one), rest, change))
  return Object.fromEntries([...members].filter(([, member]) => member !== undefined))
}

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

/** Ways to change what something sends. */
export interface Changes {
  edit(...edits: Edit[]): Mutation
  put(pointer: string, value: unknown): Mutation
  take(pointer: string): Mutation
  status(code: number): Mutation
  /** The same, of those alone that are wanted. */
  where(isWanted: IsWanted): Changes
}

/** Makes mutations of edits. */
export function changes(mutate: (edit: Edit) => Mutation): Changes {
  const edit = (...edits: Edit[]) =>
    mutate((response, request) => {
      for (const one of edits) one(response, request)
    })
  return {
    edit,
    put: (pointer, value) => edit(put(pointer, value)),
    take: (pointer) => edit(put(pointer, undefined)),
    status: (code) => edit((response) => void Object.assign(response, { status: code })),
    where: (isWanted) =>
      changes((one) => mutate((response, request) => isWanted(response, request) && one(response, request))),
  }
}

/** The responses to some requests. */
export function responses(isWanted: (request: WireRequest) => boolean): Changes {
  return changes((edit) => after((response, request) => isWanted(request) && edit(response, request)))
}

export const responsesOf = (route: RouteName) => responses((request) => isFor(request, route))
export const list = responsesOf('listModels')
export const details = responsesOf('getModel')
export const run = responsesOf('runModel')
export const job = responsesOf('getJob')
export const cancel = responsesOf('cancelJob')

/** The polls of the jobs of some runs. */
export function jobsOf(isWanted: IsWanted): Changes {
  return changes((edit) => {
    const jobs = new Set<unknown>()
    return after((response, request) => {
      if (isFor(request, 'runModel') && isWanted(response, request)) jobs.add(at(response.json, '/job_id'))
      if (isFor(request, 'getJob') && jobs.has(jobOf(request))) edit(response, request)
    })
  })
}

/** The deliveries: their body is that of the response, their URL and method are those of the request. */
export const delivery = changes((edit) =>
  onDelivery((deliver, url, init) => {
    const bytes = new ArrayBuffer()
    const response = { status: 200, headers: new Headers(init.headers), json: JSON.parse(String(init.body)), bytes }
    const request = { method: 'POST', url: new URL(url), authorization: null, body: undefined, init }
    edit(response, request)
    const { headers } = response
    return deliver(String(request.url), { ...init, method: request.method, headers, body: bodyOf(response) })
  }),
)

export function onDelivery(
  tamper: (deliver: Deliver, ...delivery: Parameters<Deliver>) => Promise<Response>,
): Mutation {
  return { tamper: (deliver) => (url, init) => tamper(deliver, url, init) }
}

/** Whether the body has this status. */
export const says = (word: string) => (response: WireResponse) => at(response.json, '/status') === word
/** Whether the job has this status. */
export const reads = (word: string) => (response: WireResponse) => at(response.json, '/data/status') === word

export const isCompleted = says('completed')
export const isQueued = says('queued')
export const isDone = reads('succeeded')
export const hasFailed = reads('failed')
export const isCancelled = reads('cancelled')

export const hasWebhook = ({ body }: WireRequest) => at(body, '/webhook_url') !== undefined
export const isAsync = ({ body }: WireRequest) => at(body, '/sync') === false
/** Responds with 202 to a run that was held. */
export const isHeld: IsWanted = (response, request) => says('processing')(response) && !hasWebhook(request)
/** Responds with 202 to a run with `webhook_url`. */
export const isHooked: IsWanted = (response, request) => says('processing')(response) && hasWebhook(request)

export const hasCode = (code: number) => (response: WireResponse) => response.status === code
export const isSuccess = ({ status }: WireResponse) => status < 300
export const isError = ({ status }: WireResponse) => status >= 400

/** The job of a request to a job's path. */
export function jobOf({ url }: WireRequest): string {
  return decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
}
