import { modelListSchema, ROUTES } from '@modelrun/contract'
import { type ApiResponse, NoResponseError } from './http/caller.ts'
import { at } from './json.ts'
import { CannotStartError } from './options.ts'
import type { Session } from './session/session.ts'

/**
 * Sends one request that costs nothing before anything is judged: at a wrong URL or with a wrong key, the report would blame the service.
 *
 * @throws CannotStartError that says in one sentence what is wrong and what to do
 */
export async function probeService(session: Session): Promise<void> {
  const { baseUrl } = session.options
  const response = await session.call({ path: `${ROUTES.listModels.path}?limit=1` }).catch((error: unknown) => {
    if (!(error instanceof NoResponseError)) throw error
    const advice = 'start the service there, or correct the base URL'
    throw new CannotStartError(`There is no response from ${baseUrl} (${error.exchange.failure}): ${advice}.`, {
      cause: error,
    })
  })
  const problem = responseProblem(baseUrl, response)
  if (problem !== undefined) throw new CannotStartError(problem)
}

/** What keeps the suite from judging the service; anything else is for the checks. */
function responseProblem(baseUrl: string, { status, json, exchange }: ApiResponse): string | undefined {
  const { location, 'content-type': contentType = 'no content type' } = exchange.response?.headers ?? {}
  if (status === 401 || status === 403)
    return `${baseUrl} rejects the API key (${status}): use a key of this service that has all permissions.`
  if (status >= 300 && status < 400)
    return `${baseUrl} redirects to ${location ?? 'another URL'} (${status}): use the base URL of that service.`
  if (status === 429 || status >= 500) return `${baseUrl} is not available (${status}): run the suite again when it is.`
  const isList = Object.keys(modelListSchema.shape).some((name) => at(json, `/${name}`) !== undefined)
  if (json !== undefined && status !== 404 && (isList || status >= 400)) return undefined
  return `${baseUrl} is another service (${status} with ${contentType}, and no list of models, to GET /v1/models): correct the base URL, which stands before /v1.`
}
