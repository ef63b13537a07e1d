import { ModelRun } from 'modelrun'
import { createProxy, type ModelRunProxy, type ProxyOptions } from 'modelrun/proxy'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'
import { createBusyTime } from './busy-time.ts'

export const PROXY_URL = 'https://app.example.com/api/modelrun'
export const SECRET = 'a secret of the test, 32 bytes long'
export const MODELS = ['aurora-image', 'lumen/aurora-video']

/** A service, a proxy in front of it, and pages of users. */
export interface Setting {
  server: CheckedServer
  proxy: ModelRunProxy
  /** What the operator of the proxy got to see. */
  errors: unknown[]
  /** The client in a page of a user. */
  pageOf(user: string): ModelRun
  close(): Promise<void>
}

/** The user of a request is what follows `Bearer`. */
export function authorize(request: Request): { user: string } | undefined {
  const [, user] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  return user === undefined ? undefined : { user }
}

/** Options of a setting: those of the proxy; and the server, when a test makes its own. */
export type SettingOptions = Partial<ProxyOptions> & { server?: CheckedServer }

export function openSetting({ server = createCheckedServer(), ...options }: SettingOptions = {}): Setting {
  const time = createBusyTime(server.clock)
  const fetch: typeof globalThis.fetch = (input, init) => time.waiting(() => server.fetch(input, init))
  const client = new ModelRun({ ...server.clientOptions(), fetch })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const { handle, ...rest } = createProxy({ client, models: MODELS, secret: SECRET, authorize, onError, ...options })
  const proxy: ModelRunProxy = { ...rest, handle: (request) => time.during(() => handle(request)) }
  return {
    server,
    proxy,
    errors,
    pageOf: (user) => {
      const page = { baseUrl: PROXY_URL, clock: server.clock, fetch: fetchThrough(proxy.handle, user) }
      // A program that is not a page needs a key. The proxy of the tests ignores it.
      return new ModelRun({ apiKey: 'page', ...page })
    },
    close: () => server.close(),
  }
}

/** Adds what a browser adds to a request of a page to its own origin. */
function fetchThrough(handle: (request: Request) => Promise<Response>, user: string): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.headers.set('authorization', `Bearer ${user}`)
    request.headers.set('sec-fetch-site', 'same-origin')
    return await handle(request)
  }
}
