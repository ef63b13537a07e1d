import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Engine } from '../src/engine/engine.ts'
import { createRuns } from '../src/runs/create-runs.ts'
import type { Runs, RunsOptions } from '../src/runs/runs-options.ts'
import { createSqliteEngine } from '../src/sqlite/sqlite-engine.ts'

export const MODEL = 'aurora-image'

const cleanUps: (() => Promise<void>)[] = []

/** Each test of the file has its own time, which moves on when all work waits. */
export function useVirtualTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    // It works in threads, which take real time.
    const { subtle } = globalThis.crypto
    for (const name of ['importKey', 'sign', 'verify'] as const) {
      const own = subtle[name].bind(subtle) as (...given: unknown[]) => Promise<never>
      vi.spyOn(subtle, name).mockImplementation((...given: unknown[]) => asRequest(own(...given)))
    }
  })
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await settled(cleanUp())
  })
}

/** Is awaited after the test. */
export function atEnd(cleanUp: () => Promise<void>): void {
  cleanUps.push(cleanUp)
}

let requests = 0

/** A request to the service: time does not leap over it. */
export async function asRequest<Value>(work: Promise<Value>): Promise<Value> {
  requests += 1
  try {
    return await work
  } finally {
    requests -= 1
  }
}

/** Turns of the event loop without a request: enough for the reads and changes of the store that follow a response or a timer. */
const IDLE_TURNS = 12

/** The client loads parts when they are first used, which takes real time: so much time may pass until they are waited for. */
const LOADING_MS = 1_000
let loadedAt = 0

async function untilIdle(): Promise<void> {
  if (Math.abs(performance.now() - loadedAt) >= LOADING_MS) {
    await vi.dynamicImportSettled()
    loadedAt = performance.now()
  }
  const isIdle = () => requests === 0
  for (let turns = 0, idle = 0; turns < 500 && idle < IDLE_TURNS; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    idle = isIdle() ? idle + 1 : 0
  }
}

/** Moves on from timer to timer until the work settles, and settles as it does. */
export async function settled<Value>(work: Promise<Value>): Promise<Value> {
  let isSettled = false
  const done = () => {
    isSettled = true
  }
  work.then(done, done)
  for (let turns = 0; !isSettled && turns < 1_000_000; turns += 1) {
    await untilIdle()
    if (!isSettled) await vi.advanceTimersToNextTimerAsync()
  }
  return await work
}

/** Lets this much time pass, with all that happens in it. */
export function pass(ms: number): Promise<void> {
  return settled(new Promise((resolve) => setTimeout(resolve, ms)))
}

/** Moves the wall clock alone, as a person or a time server does. */
export function setWallClock(byMs: number): void {
  const at = performance.now()
  vi.setSystemTime(Date.now() + byMs)
  if (performance.now() !== at) throw new Error('The time of the process moved, too.')
}

/** What the service responds with in place of its own response, to requests of this method. */
interface Outage {
  status: number | undefined
  method?: string
}

/** A batch on a store in memory, and the service that it is sent to. */
export interface Batch {
  server: ReferenceServer
  client: ModelRun
  engine: Engine
  runs: Runs
  /** Opens the batch again, as another process does. */
  reopen(options?: Partial<RunsOptions>): Runs
  /** Set it to let requests fail. */
  outage: Outage
  /** The prompts that were sent, in their order. */
  readonly sent: readonly string[]
  /** The jobs that were polled. */
  readonly polled: readonly string[]
}

/** Opens a batch. The jobs of the service take `jobMs`. */
export async function openBatch({
  jobMs = 0,
  ...options
}: Partial<RunsOptions> & { jobMs?: number } = {}): Promise<Batch> {
  const server = createReferenceServer({ clock: 'system', latency: jobMs })
  const { engine = createSqliteEngine({ path: ':memory:', pollMs: 1_000 }) } = options
  await engine.setup()
  const sent: string[] = []
  const polled: string[] = []
  const outage: Outage = { status: undefined }
  const service = server.clientOptions()
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const method = init?.method ?? 'GET'
    const { pathname: path } = new URL(String(url))
    const body = typeof init?.body === 'string' ? init.body : undefined
    if (method === 'POST') sent.push(JSON.parse(body ?? '{}').input.prompt)
    if (method === 'GET' && path.startsWith('/v1/jobs/')) polled.push(path.slice('/v1/jobs/'.length))
    const { status } = outage
    const isAway = status !== undefined && (outage.method ?? method) === method
    return isAway ? new Response('', { status }) : await asRequest(service.fetch(url, init))
  }
  const { client = new ModelRun({ ...service, clock: undefined, fetch, maxRetries: 0 }) } = options
  const reopen = (more: Partial<RunsOptions> = {}) => createRuns({ ...options, ...more, client, engine })
  cleanUps.push(
    () => server.close(),
    () => engine.close(),
  )
  return { server, client, engine, runs: reopen(), reopen, outage, sent, polled }
}
