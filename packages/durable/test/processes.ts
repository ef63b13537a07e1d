import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import type { Engine, Guard } from '../src/engine/engine.ts'
import { createTableEngine, type TableChanges } from '../src/engine/table-engine.ts'
import { createRuns } from '../src/runs/create-runs.ts'
import type { StepRun } from '../src/runs/run-types.ts'
import type { Runs, RunsOptions } from '../src/runs/runs-options.ts'
import { openDatabase } from '../src/sqlite/sqlite-database.ts'
import { createSqliteTable } from '../src/sqlite/sqlite-table.ts'
import { asRequest, atEnd, MODEL } from './batch.ts'

/** What happens to a process at a request of its client, or at a change of its store: nothing without a value. It waits for a promise. */
export type Fault =
  | Promise<void>
  | 'dies before'
  | 'dies after'
  | 'fails'
  | 'hangs'
  | 'loses the response'
  | 'marks none'
  | undefined

/** When something happens to a process. */
export interface Faults {
  /** @param route of a request, such as `POST` or `GET job` */
  request?(route: 'GET model' | 'GET job' | 'POST' | 'DELETE'): Fault
  /** @param change of the store, such as `add runs:poll` */
  store?(change: string): Fault
}

/** A process with the batch. */
export interface Process {
  runs: Runs
  engine: Engine
  faults: Faults
}

/** The processes of a batch on one store in memory, and the service that it is sent to. */
export interface Processes {
  server: ReferenceServer
  open(options?: Partial<RunsOptions>, faults?: Faults): Process
  /** How often each prompt was sent. */
  posts: Record<string, number>
  /** GETs of jobs. */
  polls(): number
  /** What the store has. */
  rows(sql: string): Record<string, unknown>[]
}

/** Calls `send` as a workflow does, until the run has ended. */
export async function loop({ runs }: Pick<Process, 'runs'>, key: string): Promise<{ run: StepRun; calls: number }> {
  for (let calls = 1; ; calls += 1) {
    const run = await runs.send(key, MODEL, { prompt: key })
    if (run.afterMs === undefined || calls === 500) return { run, calls }
    await new Promise((resolve) => setTimeout(resolve, run.afterMs))
  }
}

const DEATH = new Promise<never>(() => {})
const LOCK_MS = 3_000
// Shorter than the lock.
const HANG_MS = 2_000

/** Runs work with a fault. What a dead process waits for never comes. */
async function meet<Value>(fault: Fault, die: () => void, work: () => Promise<Value>): Promise<Value> {
  if (fault instanceof Promise) await fault
  if (fault === 'fails') throw new Error('The connection is refused.')
  if (fault === 'hangs') await new Promise((resolve) => setTimeout(resolve, HANG_MS))
  if (fault === 'dies before') die()
  if (fault === 'dies before') return DEATH
  // The lock was lost, and this process does not know it.
  if (fault === 'marks none') return new Set() as Value
  const value = await work()
  if (fault === 'loses the response') throw new Error('The connection was reset.')
  if (fault !== 'dies after') return value
  die()
  return DEATH
}

/** Opens a batch for any number of processes. Jobs take `jobMs`. */
export async function openProcesses(jobMs = 0): Promise<Processes> {
  const server = createReferenceServer({ clock: 'system', latency: jobMs })
  const database = openDatabase(':memory:', 0)
  const table = createSqliteTable(database)
  await table.setup()
  const posts: Record<string, number> = {}
  let polls = 0
  const service = server.clientOptions()
  atEnd(() => server.close())

  const open: Processes['open'] = (options = {}, faults = {}) => {
    let isDead = false
    const die = () => {
      isDead = true
    }
    const process = { faults }
    const mortal = <Part extends TableChanges>(part: Part): Part =>
      new Proxy(part, {
        get(target, name: keyof Part & string) {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          if (name === 'guardedBy') return (guard: Guard) => mortal(table.guardedBy(guard))
          return (...given: unknown[]) => {
            if (isDead) return DEATH
            const [first] = given
            const queue = typeof first === 'string' ? first : String(Object(first).queue)
            return meet(process.faults.store?.(`${name} ${queue}`), die, async () => method.apply(target, given))
          }
        },
      })
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (isDead) return DEATH
      const route = routeOf(String(url), init?.method)
      const fault = process.faults.request?.(route)
      return meet(fault, die, () => {
        if (route === 'GET job') polls += 1
        if (route === 'POST') {
          const { prompt } = JSON.parse(String(init?.body)).input
          posts[prompt] = (posts[prompt] ?? 0) + 1
        }
        return asRequest(service.fetch(url, init))
      })
    }
    const engine = createTableEngine(mortal(table), { pollMs: 200, onError: () => {} })
    const client = new ModelRun({ ...service, clock: undefined, fetch, maxRetries: 0 })
    const runs = createRuns({ lockMs: LOCK_MS, onPause: () => {}, onError: () => {}, ...options, engine, client })
    return Object.assign(process, { runs, engine })
  }
  return { server, open, posts, polls: () => polls, rows: (sql) => database.rows(sql) }
}

function routeOf(url: string, method = 'GET') {
  if (method === 'POST' || method === 'DELETE') return method
  return url.includes('/v1/jobs/') ? 'GET job' : 'GET model'
}
