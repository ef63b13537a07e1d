import { ModelRun } from 'modelrun'
import { createProxy, type ModelRunProxy, type ProxyOptions } from 'modelrun/proxy'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'
import { createBusyTime } from './busy-time.ts'

export const PROXY_URL = 'https://app.example.com/api/modelrun'
export const SECRET = 'a secret of the test, 32 bytes long'
export const MODELS = ['aurora-image', 'lumen/aurora-video']

/** A service, and a proxy in front of it. */
export interface Setting {
  server: CheckedServer
  proxy: ModelRunProxy
  /** What the operator of the proxy got to see. */
  errors: unknown[]
  close(): Promise<void>
}

/** The user of a request is what follows `Bearer`. */
function authorize(request: Request): { user: string } | undefined {
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
    close: () => server.close(),
  }
}
