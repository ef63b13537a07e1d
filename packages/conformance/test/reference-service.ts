import { PERMISSIONS, type Permission } from '@modelrun/contract'
import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import type { ConformanceOptions, SpecialKey } from '../src/options.ts'
import { FAILING_MODEL, largeCatalog, MAIN_MODEL } from './catalog.ts'

/** Sends a delivery, as `fetch` does. */
export type Deliver = (url: string, init: RequestInit) => Promise<Response>

/** Takes 90 s. */
export const SLOW_MODEL = 'lumen/aurora-video'

/** A reference server in this process, and the options by which the suite checks all of it. */
export interface ReferenceService {
  server: ReferenceServer
  options: ConformanceOptions
}

export interface ReferenceServiceOptions {
  assumptions?: AssumptionOptions
  /** What happens to each delivery on its way. */
  tamper?: (deliver: Deliver) => Deliver
}

export function createReferenceService({
  assumptions,
  tamper = (deliver) => deliver,
}: ReferenceServiceOptions = {}): ReferenceService {
  let receive = async (_: Request): Promise<Response> => new Response(null, { status: 404 })
  const send = tamper((url, init) => receive(new Request(url, init)))
  const deliver = async (request: Request) => send(request.url, await initOf(request))
  const server = createReferenceServer({ clock: 'auto', catalog: largeCatalog(), assumptions, deliver })
  return {
    server,
    options: {
      baseUrl: server.baseUrl,
      apiKey: server.apiKey,
      keys: keysOf(server),
      allowRuns: true,
      maxCredits: 10_000,
      models: {
        main: { model: MAIN_MODEL },
        slow: { model: SLOW_MODEL },
        failing: { model: FAILING_MODEL },
      },
      receiver: {
        url: 'https://receiver.example',
        onRequest: (response) => {
          receive = response
        },
      },
      readCredits: async () => server.credits(),
      fetch: server.fetch,
      clock: server.clock,
      limits: { quietMs: 5_000 },
    },
  }
}

async function initOf(request: Request): Promise<RequestInit> {
  const { method, headers, signal, redirect } = request
  return { method, headers, signal, redirect, body: await request.text() }
}

/** Every special key. */
export function keysOf(server: ReferenceServer): Record<SpecialKey, string> {
  const without = (...lacking: Permission[]) =>
    server.createKey({ permissions: PERMISSIONS.filter((permission) => !lacking.includes(permission)) }).key
  const revoked = server.createKey().key
  server.revokeKey(revoked)
  return {
    'read-only': server.createKey({ permissions: ['models:read', 'jobs:read'] }).key,
    'without-models-read': without('models:read'),
    'without-models-run': without('models:run'),
    'without-jobs-read': without('jobs:read'),
    'without-jobs-write': without('jobs:write'),
    'without-webhooks-manage': without('webhooks:manage'),
    revoked,
    'no-credits': server.createKey({ credits: 0 }).key,
  }
}
