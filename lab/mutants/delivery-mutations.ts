import { sleep } from '@modelrun/kit'
import type { ReferenceServer } from '@modelrun/reference-server'
import { at } from '../../packages/conformance/src/json.ts'
import type { Deliver } from '../../packages/conformance/test/reference-service.ts'
import { type Changes, changes, hasWebhook, isAsync, isDone, isSuccess, job, jobOf, onDelivery } from './edits.ts'
import { after, before, instead, isFor, type Mutation, type WireRequest, type WireResponse } from './mutation.ts'

type Body = Record<string, unknown>
const lost = () => Promise.resolve(new Response())
const bodyOf = (init: RequestInit): Body => JSON.parse(String(init.body))

/** Does not deliver what some runs asked for. */
export function forgets(isForgotten: (request: WireRequest) => boolean): Mutation {
  return instead(
    (request) => isFor(request, 'runModel') && hasWebhook(request) && isForgotten(request),
    (request, { send }) => send({ ...request, body: { ...Object(request.body), webhook_url: undefined } }),
  )
}

/** The polls of jobs whose delivery got this response. */
export function losesJobs(lost: 'rejected' | 'silent' | 'accepted'): Changes {
  return changes((edit) => {
    const jobs = new Set<unknown>()
    const watching = onDelivery(async (deliver, url, init) => {
      const { job_id: id } = bodyOf(init)
      init.signal?.addEventListener('abort', () => lost === 'silent' && jobs.add(id))
      const response = await deliver(url, init)
      if (lost === (response.ok ? 'accepted' : 'rejected')) jobs.add(id)
      return response
    })
    return { ...watching, ...job.where((_, request) => jobs.has(jobOf(request))).edit(edit) }
  })
}

/** What happens when a response is there, with a way to deliver beside the service. */
type Watch = (
  seen: { response: WireResponse; request: WireRequest; server: ReferenceServer },
  post: (url: string, body: object) => unknown,
) => unknown

/** Delivers more than the service, or something else. */
function delivering(watch: Watch, ofService: (deliver: Deliver) => Deliver = (deliver) => deliver): Mutation {
  let send: Deliver | undefined
  const headers = { 'content-type': 'application/json' }
  const post = (url: string, body: object) => send?.(url, { method: 'POST', body: JSON.stringify(body), headers })
  return {
    tamper: (deliver) => {
      send = deliver
      return ofService(deliver)
    },
    ...after((response, request, { server }) => watch({ response, request, server }, post)),
  }
}

const urlIn = ({ body }: WireRequest) => String(at(body, '/webhook_url'))

/** Delivers also what was run without a `webhook_url`. */
export function deliversEverything(): Mutation {
  let known: string | undefined
  return delivering(({ response, request }, post) => {
    if (hasWebhook(request)) known = urlIn(request)
    const isResult = isFor(request, 'getJob') && isDone(response)
    if (isResult && known !== undefined) return post(known, { job_id: jobOf(request), status: 'succeeded' })
    return undefined
  })
}

/** Delivers a success for cancelled jobs, at once or when they would have ended. */
export function deliversCancelled(ms: number): Mutation {
  const urls = new Map<unknown, string>()
  return delivering(({ response, request, server }, post) => {
    if (isFor(request, 'runModel') && hasWebhook(request)) urls.set(at(response.json, '/job_id'), urlIn(request))
    const url = isFor(request, 'cancelJob') ? urls.get(jobOf(request)) : undefined
    const body = { job_id: jobOf(request), status: 'succeeded', output: { type: 'image', items: [] } }
    if (url !== undefined) server.clock.setTimeout(() => void post(url, body), ms)
  })
}

/** Delivers when a run is accepted, before anything has ended. */
export function deliversEarly(): Mutation {
  const output = { type: 'image', items: [{ type: 'image', url: 'https://files.example/0.png' }] }
  const result = { status: 'succeeded', output, credits_used: 4, completed_at: '2026-01-01T00:00:00Z' }
  return delivering(
    ({ response, request }, post) => {
      const isAccepted = isFor(request, 'runModel') && hasWebhook(request) && isSuccess(response)
      if (isAccepted) void post(urlIn(request), { ...result, job_id: at(response.json, '/job_id') })
    },
    () => lost,
  )
}

/** Delivers the results of asynchronous runs alone. */
export function onlyAsync(): Mutation {
  const wanted = new Set<unknown>()
  return delivering(
    ({ response, request }) => {
      if (isFor(request, 'runModel') && isAsync(request)) wanted.add(at(response.json, '/job_id'))
    },
    (deliver) => (url, init) => (wanted.has(bodyOf(init).job_id) ? deliver(url, init) : lost()),
  )
}

export function everyOther(): Mutation {
  let count = 0
  return onDelivery((deliver, url, init) => (count++ % 2 === 0 ? lost() : deliver(url, init)))
}

/** Retries on the server's clock. */
export function retriesAfter(ms: number): Mutation {
  return onClock((wait, deliver) => async (url, init) => {
    const response = await deliver(url, init)
    const { signal: _, ...again } = init
    if (!response.ok) void wait(ms).then(() => deliver(url, again))
    return response
  })
}

/** Delivers later on the server's clock. */
export function deliversAfter(ms: number): Mutation {
  return onClock((wait, deliver) => async (url, { signal: _, ...init }) => {
    void wait(ms).then(() => deliver(url, init))
    return new Response()
  })
}

function onClock(tamper: (wait: (ms: number) => Promise<void>, deliver: Deliver) => Deliver): Mutation {
  let known: ReferenceServer | undefined
  const wait = async (ms: number) => known && sleep(known.clock, ms)
  return {
    ...before((_, { server }) => {
      known = server
    }),
    tamper: (deliver) => tamper(wait, deliver),
  }
}
