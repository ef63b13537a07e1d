import { createReferenceServer, type ReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'

/** 4 credits and 4 s a run. */
export const MODEL = 'aurora-image'

/** A server and a client of it. */
export function openServer(options?: ReferenceServerOptions) {
  const server = createReferenceServer(options)
  return { server, caller: apiCaller(server) }
}

/** A response, read to its end. */
export interface ApiResponse {
  status: number
  headers: Headers
  /** Empty when there was no JSON. */
  body: Record<string, unknown>
  text: string
}

/** Calls a server in this process as a client with one key would. */
export function apiCaller(server: ReferenceServer, key = server.apiKey) {
  async function call(method: string, path: string, init: RequestInit = {}): Promise<ApiResponse> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers }
    const response = await server.fetch(`${server.baseUrl}${path}`, { ...init, method, headers })
    const { status } = response
    const text = await response.text()
    const isJson = text !== '' && response.headers.get('content-type') === 'application/json'
    return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }
  const post = (path: string, body: unknown) => call('POST', path, { body: JSON.stringify(body) })
  return {
    call,
    get: (path: string) => call('GET', path),
    post,
    delete: (path: string) => call('DELETE', path),
    run: (model: string, body: object = {}, init: RequestInit = {}) =>
      call('POST', `/v1/models/${encodeURIComponent(model)}/run`, {
        body: JSON.stringify({ input: { prompt: 'a red fox' }, ...body }),
        ...init,
      }),
    /** Status of a job. */
    status: async (jobId: unknown) => {
      const { body } = await call('GET', `/v1/jobs/${String(jobId)}`)
      const { data } = body as { data?: { status?: string } } // the shape is what the tests of the route check
      return data?.status
    },
  }
}

/** Code and message of an error response. */
export function errorOf({ body }: ApiResponse): { code?: string; message?: string } {
  const { error } = body as { error?: { code?: string; message?: string } } // as above
  return error ?? {}
}
