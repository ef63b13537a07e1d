import { modelListSchema, ROUTES } from '@modelrun/contract'
import { type ApiResponse, NoResponseError } from './http/caller.ts'
import { at } from './json.ts'
import { CannotStartError } from './options.ts'
import type { Session } from './session/session.ts'

/**
 * Sends one request that costs nothing, `GET /v1/models?limit=1`, before anything is judged: every statement would fail
 * at a wrong URL or with a wrong key, and the report would blame the service.
 *
 * @throws CannotStartError that says in one sentence what is wrong and what to do
 */
export async function probeService(session: Session): Promise<void> {
  const { baseUrl } = session.options
  const response = await session.call({ path: `${ROUTES.listModels.path}?limit=1` }).catch((error: unknown) => {
    if (!(error instanceof NoResponseError)) throw error
    const advice = 'start the service there, or correct the base URL'
    throw new CannotStartError(`There is no response from ${baseUrl} (${error.reason}): ${advice}.`, { cause: error })
  })
  const problem = responseProblem(baseUrl, response)
  if (problem !== undefined) throw new CannotStartError(problem)
}

/** What keeps the suite from judging the service; anything else is for the checks. */
function responseProblem(baseUrl: string, { status, json, exchange }: ApiResponse): string | undefined {
  const { location, 'content-type': contentType = 'no content type' } = exchange.response?.headers ?? {}
  const listModels = `GET ${ROUTES.listModels.path}`
  if (status === 401) return `${baseUrl} rejects the API key (401): use a key of this service that has all permissions.`
  if (status === 403) return `The API key may not list models (403): use a key that has all permissions.`
  if (status >= 300 && status < 400)
    return `${baseUrl} redirects to ${location ?? 'another URL'} (${status}): use the base URL of that service.`
  if (status === 429 || status >= 500) return `${baseUrl} is not available (${status}): run the suite again when it is.`
  if (status === 404)
    return `${baseUrl} has no models (404 to ${listModels}): correct the base URL, which stands before /v1.`
  if (json === undefined)
    return `${baseUrl} is another service (${contentType} to ${listModels}): correct the base URL.`
  if (status < 300 && Object.keys(modelListSchema.shape).every((name) => at(json, `/${name}`) === undefined))
    return `${baseUrl} is another service (${listModels} does not return a list of models): correct the base URL.`
  return undefined
}
