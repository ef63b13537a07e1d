import axios, { type AxiosRequestConfig } from 'axios'

/** What two clients made of the same request: a status, what went wrong afterwards, or the code of an error. */
export interface Observations {
  fetch: string
  axios: string
}

/** A request, and how the clients send it. */
export interface SeenRequest {
  url: string
  apiKey: string
  fetch: typeof globalThis.fetch
  /** What axios needs besides. */
  axiosConfig?: AxiosRequestConfig | undefined
  /** The patience of the clients. */
  timeLimitMs: number
}

/** Sends a request with one client after the other. */
export async function seeRequest(request: SeenRequest): Promise<Observations> {
  return { fetch: await seenByFetch(request), axios: await seenByAxios(request) }
}

async function seenByFetch({ url, apiKey, fetch, timeLimitMs }: SeenRequest): Promise<string> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(timeLimitMs),
    })
    const then = await response.json().then(() => [], (error: unknown) => [`then ${codeOf(error)}`]) // biome-ignore format: one thought
    return [response.status, ...then].join(', ')
  } catch (error) {
    return codeOf(error)
  }
}

async function seenByAxios({ url, apiKey, axiosConfig, timeLimitMs }: SeenRequest): Promise<string> {
  try {
    const headers = { authorization: `Bearer ${apiKey}` }
    const { status, data } = await axios.get<unknown>(url, { headers, timeout: timeLimitMs, ...axiosConfig })
    return typeof data === 'string' ? `${status} with text` : String(status)
  } catch (error) {
    const status = axios.isAxiosError(error) ? error.response?.status : undefined
    return [...(status === undefined ? [] : [status]), codeOf(error)].join(' ')
  }
}

/** The first code among an error and its causes; without one, its name. */
function codeOf(error: unknown): string {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const code: unknown = Reflect.get(one, 'code')
    if (typeof code === 'string') return code
  }
  // `fetch` rejects with a DOMException when its time is over; under some runners that is not an Error of this realm.
  return typeof error === 'object' && error !== null ? String(Reflect.get(error, 'name')) : String(error)
}
