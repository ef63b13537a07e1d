import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRun } from '../src/client/client.ts'
import { createProxy, type ModelRunProxy } from '../src/proxy/create-proxy.ts'
import type { ProxyOptions } from '../src/proxy/proxy-options.ts'
import type { ManualClock } from './manual-clock.ts'
import { json, type ScriptedService, type Step } from './scripted-service.ts'
import { createTestClient } from './test-client.ts'

export const PROXY_SECRET = 'a secret of the test, 32 bytes long'
const SITE = 'https://app.example.com'

/** The model that pages of the tests may run, and its price. */
export const MODEL = 'aurora-image'
export const PRICE = 4
export const RUN_PATH = `/v1/models/${MODEL}/run`

/** A request of a page. */
interface PageSend {
  /** The user who is signed in; null for none. Default `anna`. */
  user?: string | null
  body?: unknown
  headers?: Record<string, string | undefined>
}

/** A proxy under test, and its fakes. */
export interface ProxyHarness {
  proxy: ModelRunProxy
  service: ScriptedService
  clock: ManualClock
  /** What the operator got to see. */
  errors: unknown[]
  /** Sends as a page of the own origin does. `target`: method and path, e.g. `GET /v1/models`. */
  send(target: string, options?: PageSend): Promise<{ status: number; headers: Headers; body: unknown; text: string }>
  /** A client in a page of a user. */
  pageOf(user: string): ModelRun
}

/** A proxy in front of a scripted service, where the user of a request is in its header `x-user`. */
export function createTestProxy(steps: readonly Step[], options: Partial<ProxyOptions> = {}): ProxyHarness {
  const { client, service, clock } = createTestClient(steps)
  const errors: unknown[] = []
  const proxy = createProxy({
    client: readingPricesOnce(client),
    models: [MODEL],
    secret: PROXY_SECRET,
    authorize: ({ headers }) => ({ user: headers.get('x-user') ?? '' }),
    onError: (error) => errors.push(error),
    clock,
    ...options,
  })
  const base = `${SITE}/api/modelrun`
  return {
    proxy,
    service,
    clock,
    errors,
    send: async (target, { user = 'anna', body, headers = {} } = {}) => {
      const [method = '', path = ''] = target.split(' ')
      const all = { ...fromPage(method), ...(user === null ? {} : { 'x-user': user }), ...headers }
      const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const init = { method, headers: present, ...(text === undefined ? {} : { body: text }) }
      const response = await proxy.handle(new Request(base + path, init))
      const received = await response.text()
      return { status: response.status, headers: response.headers, body: parse(received), text: received }
    },
    pageOf: (user) => {
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const request = new Request(input, init)
        for (const [name, value] of Object.entries(fromPage(request.method))) request.headers.set(name, value)
        request.headers.set('x-user', user)
        return await proxy.handle(request)
      }
      // The client of a test needs a key. The proxy ignores it. Without a time limit: signatures take real time, in
      // which a manual clock would run on.
      const timeoutMs = Number.POSITIVE_INFINITY
      return new ModelRun({
        apiKey: 'page',
        baseUrl: base,
        fetch,
        clock,
        timeoutMs,
        logLevel: 'off',
        random: () => 0.5,
      })
    },
  }
}

/** Steps have one read of a price. That right before the run is in `agreed-price.test.ts`. */
function readingPricesOnce({ models, jobs }: ModelRun): ProxyOptions['client'] {
  return {
    jobs,
    models: {
      get: (id) => models.get(id),
      run: (model, body, { maxCredits: _, ...options } = {}) => models.run(model, body, options),
    },
  }
}

/** What a browser adds to a request of a page to its own origin. */
function fromPage(method: string): Record<string, string> {
  const posted = method === 'POST' ? { origin: SITE, 'content-type': 'application/json' } : {}
  return { 'sec-fetch-site': 'same-origin', ...posted }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The model of the tests, as the service shows it. */
export function model(changes: object = {}): Step {
  return json(200, { ...fixtures.models.textToImage.body, id: MODEL, pricing: { credits_per_run: PRICE }, ...changes })
}
