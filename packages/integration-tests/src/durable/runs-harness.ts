import { createRuns, type Engine, type FinishedRun, type Runs, type RunsOptions } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import type { ReferenceServerOptions } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { onTestFinished } from 'vitest'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'

export const MODEL = 'aurora-image'

/** Responds in place of the service; `undefined` leaves the request to it. */
export type Interceptor = (request: { method: string; path: string }) => Response | undefined

/** A batch on a store in memory, and the service that it is sent to. Failed attempts are repeated quickly. */
export async function setUpRuns({
  intercept,
  latency = 0,
  deliver,
  ...options
}: Partial<RunsOptions> & {
  intercept?: Interceptor
  latency?: number
  deliver?: ReferenceServerOptions['deliver']
} = {}): Promise<{
  server: CheckedServer
  runs: Runs
  engine: Engine
  client: ModelRun
}> {
  const server = createCheckedServer({ clock: 'system', latency, deliver })
  const { engine: store = createSqliteEngine({ path: ':memory:', pollMs: 20 }) } = options
  const engine: Engine = {
    ...store,
    work: (queue, handler, given) => store.work(queue, handler, { backoffMs: 10, ...given }),
  }
  await engine.setup()
  const service = server.clientOptions()
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = { method: init?.method ?? 'GET', path: new URL(String(url)).pathname }
    return intercept?.(request) ?? (await service.fetch(url, init))
  }
  const { client = new ModelRun({ ...service, fetch, maxRetries: 0 }) } = options
  const runs = createRuns({ pollRate: { max: 1_000, perMs: 1_000 }, ...options, client, engine })
  onTestFinished(() => server.close())
  onTestFinished(() => engine.close())
  return { server, runs, engine, client }
}

/** Works a batch to its end. */
export async function finish(runs: Runs): Promise<FinishedRun[]> {
  runs.start()
  const finished: FinishedRun[] = []
  for await (const run of runs.results()) finished.push(run)
  return finished
}
