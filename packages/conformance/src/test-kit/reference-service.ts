import { PERMISSIONS, type Permission } from '@modelrun/contract'
import {
  type AssumptionOptions,
  type CatalogModel,
  createReferenceServer,
  DEFAULT_CATALOG,
  type Deliver,
  type ProfileOption,
  type ReferenceServer,
} from '@modelrun/reference-server'
import type { ConformanceOptions, SpecialKey } from '../options.ts'

/** Quick, and its schema has every kind of rule. */
export const MAIN_MODEL = 'aurora-image'
/** Takes 90 s. */
export const SLOW_MODEL = 'lumen/aurora-video'
export const FAILING_MODEL = 'conformance/always-fails'

/** A reference server in this process, and the options by which the suite checks all of it. */
export interface ReferenceService {
  server: ReferenceServer
  options: ConformanceOptions
}

export interface ReferenceServiceOptions {
  assumptions?: AssumptionOptions
  profile?: ProfileOption
  /** What becomes of each delivery on its way. */
  tamper?: (deliver: Deliver) => Deliver
}

export function createReferenceService({
  assumptions,
  profile,
  tamper = (deliver) => deliver,
}: ReferenceServiceOptions = {}): ReferenceService {
  let receive = async (_: Request): Promise<Response> => new Response(null, { status: 404 })
  const deliver = tamper((url, init) => receive(new Request(url, init)))
  const server = createReferenceServer({ clock: 'auto', catalog: catalogWithFailing(), assumptions, profile, deliver })
  server.script(FAILING_MODEL, Array(20).fill({ result: 'failed' }))
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
        onRequest: (answer) => {
          receive = answer
        },
      },
      readCredits: async () => server.credits(),
      fetch: server.fetch,
      clock: server.clock,
      limits: { quietMs: 5_000 },
    },
  }
}

/** The catalog with a model that the caller scripts to fail. */
export function catalogWithFailing(): CatalogModel[] {
  const template = DEFAULT_CATALOG.find(({ id }) => id === MAIN_MODEL)
  if (template === undefined) throw new Error(`The catalog has no ${MAIN_MODEL}.`)
  const failing = { ...template, id: FAILING_MODEL, name: 'Always Fails', description: 'Never draws anything at all.' }
  return [...DEFAULT_CATALOG, failing]
}

/** Every special key. */
export function keysOf(server: ReferenceServer): Record<SpecialKey, string> {
  const without = (...lacking: Permission[]) =>
    server.mintKey({ permissions: PERMISSIONS.filter((permission) => !lacking.includes(permission)) }).key
  const revoked = server.mintKey().key
  server.revokeKey(revoked)
  return {
    'read-only': server.mintKey({ permissions: ['models:read', 'jobs:read'] }).key,
    'without-models-read': without('models:read'),
    'without-models-run': without('models:run'),
    'without-jobs-read': without('jobs:read'),
    'without-jobs-write': without('jobs:write'),
    'without-webhooks-manage': without('webhooks:manage'),
    revoked,
    'blocked-ip': server.mintKey({ allowIps: ['203.0.113.7'] }).key,
    'no-credits': server.mintKey({ credits: 0 }).key,
  }
}
