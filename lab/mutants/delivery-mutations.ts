import type { ReferenceServer } from '@modelrun/reference-server'
import { sleep } from '../../packages/conformance/src/clock.ts'
import { at } from '../../packages/conformance/src/json.ts'
import type { Deliver } from '../../packages/conformance/test/reference-service.ts'
import { isDone, jobOf, onDelivery } from './edits.ts'
import { isFor, type Mutation, put, type Send } from './mutation.ts'

type Body = Record<string, unknown>
const lost = () => Promise.resolve(new Response())
const bodyOf = (init: RequestInit): Body => JSON.parse(String(init.body))

/** Does not deliver what some runs asked for. */
export function forgets(isForgotten: (body: unknown) => boolean): Mutation {
  return {
    wrap: (send) => async (request) => {
      if (isFor(request, 'runModel') && isForgotten(request.body)) {
        const { webhook_url: url, ...body } = request.body as Body
        const response = await send({ ...request, body: { ...body, sync: false } })
        if (response.status < 300 && url !== undefined && body.sync === undefined) {
          response.status = 202
          put('', (json: object) => ({ ...json, status: 'processing', message: 'Poll the job.' }))(response, request)
        }
        return response
      }
      return send(request)
    },
  }
}

/** Edits polls of jobs whose delivery got this response. */
export function losesJobs(
  isLost: (response: 'rejected' | 'silent' | 'accepted') => boolean,
  ...edits: ReturnType<typeof put>[]
): Mutation {
  const lostJobs = new Set<unknown>()
  return {
    tamper: (deliver: Deliver) => async (url, init) => {
      const { job_id: id } = bodyOf(init)
      init.signal?.addEventListener('abort', () => isLost('silent') && lostJobs.add(id))
      const response = await deliver(url, init)
      if (isLost(response.ok ? 'accepted' : 'rejected')) lostJobs.add(id)
      return response
    },
    wrap: (send: Send) => async (request) => {
      const response = await send(request)
      if (isFor(request, 'getJob') && lostJobs.has(jobOf(request))) for (const edit of edits) edit(response, request)
      return response
    },
  }
}

/** Delivers also what was run without a `webhook_url`. */
export function deliversEverything(): Mutation {
  let known: string | undefined
  let post: Deliver | undefined
  return {
    tamper: (deliver) => {
      post = deliver
      return deliver
    },
    wrap: (send: Send, _: ReferenceServer) => async (request) => {
      const url = at(request.body, '/webhook_url')
      if (typeof url === 'string') known = url
      const response = await send(request)
      if (isFor(request, 'getJob') && isDone(response) && known !== undefined) {
        const body = JSON.stringify({ job_id: jobOf(request), status: 'succeeded' })
        await post?.(known, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      }
      return response
    },
  }
}

/** Delivers a success for cancelled jobs, at once or when they would have ended. */
export function deliversCancelled(ms: number): Mutation {
  let post: Deliver | undefined
  const urls = new Map<unknown, string>()
  return {
    tamper: (deliver) => {
      post = deliver
      return deliver
    },
    wrap: (send, server) => async (request) => {
      const response = await send(request)
      const url = at(request.body, '/webhook_url')
      if (isFor(request, 'runModel') && typeof url === 'string') urls.set(at(response.json, '/job_id'), url)
      const wanted = isFor(request, 'cancelJob') ? urls.get(jobOf(request)) : undefined
      if (wanted === undefined) return response
      const body = JSON.stringify({ job_id: jobOf(request), status: 'succeeded', output: { type: 'image', items: [] } })
      server.clock.setTimeout(() => void post?.(wanted, { method: 'POST', body }), ms)
      return response
    },
  }
}

/** Delivers when a run is taken, before anything has ended. */
export function deliversEarly(): Mutation {
  let post: Deliver | undefined
  return {
    tamper: (deliver) => {
      post = deliver
      return lost
    },
    wrap: (send) => async (request) => {
      const response = await send(request)
      const url = at(request.body, '/webhook_url')
      const id = at(response.json, '/job_id')
      if (!isFor(request, 'runModel') || typeof url !== 'string' || response.status >= 300) return response
      const output = { type: 'image', items: [{ type: 'image', url: 'https://files.example/0.png' }] }
      const body = { job_id: id, status: 'succeeded', output, credits_used: 4, completed_at: '2026-01-01T00:00:00Z' }
      void post?.(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      return response
    },
  }
}

export function onlyAsync(): Mutation {
  const wanted = new Set<unknown>()
  return {
    tamper: (deliver) => (url, init) => (wanted.has(bodyOf(init).job_id) ? deliver(url, init) : lost()),
    wrap: (send) => async (request) => {
      const response = await send(request)
      if (isFor(request, 'runModel') && at(request.body, '/sync') === false) wanted.add(at(response.json, '/job_id'))
      return response
    },
  }
}

export function everyOther(): Mutation {
  let count = 0
  return onDelivery((deliver, url, init) => (count++ % 2 === 0 ? lost() : deliver(url, init)))
}

/** Retries on the server's clock. */
export function retriesAfter(ms: number): Mutation {
  return onClock((clock, deliver) => async (url, init) => {
    const response = await deliver(url, init)
    const { signal: _, ...again } = init
    if (!response.ok) void sleep(clock(), ms).then(() => deliver(url, again))
    return response
  })
}

/** Delivers later on the server's clock. */
export function deliversAfter(ms: number): Mutation {
  return onClock((clock, deliver) => async (url, { signal: _, ...init }) => {
    void sleep(clock(), ms).then(() => deliver(url, init))
    return new Response()
  })
}

function onClock(tamper: (clock: () => ReferenceServer['clock'], deliver: Deliver) => Deliver): Mutation {
  const servers: ReferenceServer[] = []
  const clock = () => {
    const [server] = servers
    if (server === undefined) throw new Error('nothing was sent before a delivery')
    return server.clock
  }
  return {
    wrap: (send, server) => {
      servers.unshift(server)
      return send
    },
    tamper: (deliver) => tamper(clock, deliver),
  }
}
