import type { RouteName } from '@modelrun/contract'
import { sleep } from '../../packages/conformance/src/clock.ts'
import { at, isRecord, itemsOf } from '../../packages/conformance/src/json.ts'
import { hasWebhook } from './edits.ts'
import { isLater, isList, queryParameter } from './list-edits.ts'
import { type Edit, edited, isFor, type Mutation, put, type WireRequest, type WireResponse, when } from './mutation.ts'

/** Charges what the rest of the mutation counts, beside what the server does. */
export function alsoCharges(count: (request: WireRequest, response: WireResponse) => number): Mutation {
  let extra = 0
  return {
    wrap: (send) => async (request) => {
      const response = await send(request)
      extra += count(request, response)
      return response
    },
    options: ({ server }) => ({ readCredits: async () => server.credits() - extra }),
  }
}

export const isFailing = ({ url }: WireRequest) => url.pathname.includes('always-fails')

/** Responds later to runs. */
export function late(isWanted: (request: WireRequest, response: WireResponse) => boolean, ms: number): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      const response = await send(request)
      if (isFor(request, 'runModel') && response.status < 300 && isWanted(request, response))
        await sleep(server.clock, ms)
      return response
    },
  }
}

/** Gives up the hold of every second slow run after 20 s. */
export function shortHolds(): Mutation {
  let held = 0
  return {
    wrap: (send, server) => async (request) => {
      const { url, body } = request
      const isSlow = isFor(request, 'runModel') && url.pathname.includes('video') && !hasWebhook(request)
      if (!isSlow || !isRecord(body) || body.sync === false || ++held % 2 !== 0) return send(request)
      const response = await send({ ...request, body: { ...body, sync: false } })
      await sleep(server.clock, 20_000)
      const message = 'Poll the job for its result.'
      put('', (body: object) => ({ ...body, status: 'processing', message }))(response, request)
      return { ...response, status: 202 }
    },
  }
}

/** Edits each so many-th response of an endpoint. */
export function eachOf(count: number, route: RouteName, edit: Edit): Mutation {
  let sent = 0
  return edited(
    route,
    when(() => ++sent % count === 0, edit),
  )
}

/** Cuts later pages of a search out of all models. */
export function searchesTheFirstPage(): Mutation {
  return {
    wrap: (send) => async (request) => {
      const response = await send(request)
      if (!isList(request) || queryParameter(request, 'search') === null || !isLater(response, request)) return response
      const url = new URL(request.url)
      url.searchParams.delete('search')
      const count = itemsOf(at(response.json, '/models')).length
      put('/models', itemsOf(at((await send({ ...request, url })).json, '/models')).slice(0, count))(response, request)
      return response
    },
  }
}

export function rejects(response: WireResponse, request: WireRequest): void {
  response.status = 403
  put('', { error: { code: 'FORBIDDEN', message: 'You may not.' } })(response, request)
}
