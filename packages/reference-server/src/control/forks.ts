import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import type { Fork } from '../service/forks.ts'
import type { Service } from '../service/service.ts'
import { emptySchema } from './job-actions.ts'
import type { ControlRoute } from './route.ts'

/** Other servers that go on from the state of this one. */
export const FORK_ROUTES = [
  { operationId: 'openFork', method: 'POST', name: 'forks', handler: openForkRoute },
  { operationId: 'listForks', method: 'GET', name: 'forks', handler: listForksRoute },
  { operationId: 'stopForks', method: 'DELETE', name: 'forks', handler: stopForksRoute },
] as const satisfies readonly ControlRoute[]

async function openForkRoute({ forks }: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, emptySchema)
  if (!body.ok) return body.errorResponse
  if (forks === undefined) {
    return errorResponses.conflict('This server does not listen at an address of its own. Use server.fork().')
  }
  const { isFull, limit } = forks.served
  if (isFull) return errorResponses.conflict(`${limit} forks are running, and there may be no more. Stop one first.`)
  return jsonResponse(200, forkJson(await forks.open()))
}

function listForksRoute({ forks }: Service): Response {
  return jsonResponse(200, { forks: (forks?.served.list() ?? []).map(forkJson), fork_of: forks?.served.of })
}

async function stopForksRoute({ forks }: Service, { req }: AppContext): Promise<Response> {
  const id = req.query('id')
  const stopped = (await forks?.served.stop(id)) ?? 0
  if (id !== undefined && stopped === 0)
    return errorResponses.notFound(`This server has no fork ${JSON.stringify(id.slice(0, 60))}.`)
  return jsonResponse(200, { stopped })
}

function forkJson({ id, url, dashboardUrl }: Fork): object {
  return { id, url, dashboard_url: dashboardUrl }
}
