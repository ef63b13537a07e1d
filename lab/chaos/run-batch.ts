import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuns, type Runs } from '@modelrun/durable'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { bundleProgram } from './bundle-program.ts'
import { chance } from './chance.ts'
import { monotonicMs } from './journal.ts'
import { LOCK_MS } from './settings.ts'
import type { ChaosStore } from './stores.ts'

export interface BatchChaosResult {
  keys: number
  posted: number
  deaths: number
  /** Runs whose process died while it sent them. */
  unknown: number
  /** Keys that were sent more than once. */
  twice: string[]
  /** Keys without a result in the end. */
  lost: string[]
  seconds: number
}

const MODEL = 'aurora-image'
/** What each process does. A process that dies starts again in its role. */
const ROLES = ['worker', 'sender', 'sender', 'sender', 'sweeper']
const FAULT_EVERY_MS = 700
const PATIENCE_MS = 300_000

/** Runs a batch whose processes and store have faults, decides by hand what is unknown, and counts the POSTs of each key. */
export async function runBatchChaos(
  store: ChaosStore,
  { keys, seed, faults }: { keys: number; seed: number; faults: number },
): Promise<BatchChaosResult> {
  const startedAtMs = monotonicMs()
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-chaos-'))
  const program = await bundleProgram(
    new URL('../../packages/integration-tests/src/durable/batch-process.ts', import.meta.url),
    folder,
  )
  // Each POST is counted by its entry.
  const retention = { journalBytes: Number.MAX_SAFE_INTEGER }
  const server = createReferenceServer({ clock: 'system', latency: 40, credits: 1_000_000_000, retention })
  const { close } = await listen(server, { port: 0 })
  const { apiKey, baseUrl } = server
  const settings = { engineAt: store.engineAt, baseUrl, apiKey, keys, model: MODEL }
  const engine = openEngine(store.engineAt, () => {})
  const processes = startProcesses(program, settings)
  try {
    await engine.setup()
    const runs = createRuns({ engine, client: new ModelRun({ apiKey, baseUrl, maxRetries: 0 }), lockMs: LOCK_MS })
    for (const [index, outage] of store.outages.entries()) {
      await sleep(FAULT_EVERY_MS)
      processes.inject(chance(seed, 'first', index))
      await outage()
    }
    for (let count = 0; count < faults; count++) {
      await sleep(FAULT_EVERY_MS)
      processes.inject(chance(seed, 'fault', count))
    }
    await waitUntilDone(runs, keys)
    const { deaths } = processes
    await processes.stop()
    const { unknown } = await runs.progress()
    await decide(runs, server)
    runs.start()
    await waitUntilDone(runs, keys)
    const states = new Map<string, string | undefined>()
    for (let index = 0; index < keys; index++) states.set(`key-${index}`, (await runs.get(`key-${index}`))?.state)
    await runs.stop()
    const posts = countPosts(server)
    return {
      keys,
      posted: [...posts.values()].reduce((sum, count) => sum + count, 0),
      deaths,
      unknown,
      twice: [...posts].filter(([, count]) => count > 1).map(([key]) => key),
      lost: [...states].filter(([, state]) => state !== 'succeeded').map(([key]) => key),
      seconds: (monotonicMs() - startedAtMs) / 1_000,
    }
  } finally {
    await processes.stop()
    await Promise.all([close(), engine.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

function startProcesses(program: string, settings: object) {
  const children = new Set<ChildProcess>()
  let deaths = 0
  let isStopping = false
  const start = (role: string) => {
    const given = JSON.stringify({ ...settings, role })
    const child = spawn(process.execPath, ['--no-warnings', program, given], { stdio: 'ignore' })
    children.add(child)
    child.once('exit', (code) => {
      children.delete(child)
      // Code 0: the batch is done. A process that met an outage while it added its keys is started again, as by a supervisor.
      if (code === 0 || isStopping) return
      deaths++
      start(role)
    })
  }
  for (const role of ROLES) start(role)
  return {
    get deaths() {
      return deaths
    },
    inject: (draw: number) => {
      const child = [...children][Math.floor(draw * children.size)]
      if (child === undefined) return
      if (draw * 7 - Math.floor(draw * 7) < 0.7) child.kill('SIGKILL')
      else {
        child.kill('SIGSTOP')
        setTimeout(() => child.kill('SIGCONT'), LOCK_MS + 700)
      }
    },
    stop: async () => {
      isStopping = true
      const gone = [...children].map((child) => once(child, 'exit'))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(gone)
    },
  }
}

async function waitUntilDone(runs: Runs, keys: number): Promise<void> {
  for (const startedAtMs = monotonicMs(); monotonicMs() - startedAtMs < PATIENCE_MS; ) {
    const progress = await runs.progress().catch(() => undefined)
    if (progress?.total === keys && progress.waiting === 0 && progress.running === 0) return
    await sleep(200)
  }
}

/** As a user does: what the service has is resolved, and what it does not have is sent again. */
async function decide(runs: Runs, server: ReferenceServer): Promise<void> {
  const jobs = new Map(runRequests(server).map(({ key, jobId }) => [key, jobId]))
  for (const { key } of await runs.unknown({ limit: 100_000 })) {
    const jobId = jobs.get(key)
    if (jobId !== undefined) await runs.resolve(key, { jobId })
    else await runs.resubmit(key)
  }
}

function countPosts(server: ReferenceServer): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key } of runRequests(server)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function runRequests(server: ReferenceServer): { key: string; jobId: string | undefined }[] {
  return [...server.journal.entries({ kind: 'request' })].flatMap((entry) => {
    // A request whose process was killed while it was read has no body, and did nothing.
    if (entry.kind !== 'request' || entry.route !== 'runModel' || entry.requestBody === undefined) return []
    return [{ key: String(JSON.parse(entry.requestBody).input.prompt), jobId: entry.job_id }]
  })
}
