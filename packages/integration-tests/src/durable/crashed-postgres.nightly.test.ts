import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createRuns } from '@modelrun/durable'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { POSTGRES_PROGRAMS, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { openEngine } from './open-engine.ts'
import { cleanUps, finish, MODEL, posts } from './runs-harness.ts'

const { isMissing, note } = needs(...POSTGRES_PROGRAMS)

const KEYS = 300
/** Numbers of runs that were sent, at which Postgres is killed. */
const CRASHES = [40, 120, 200, 280]
const program = fileURLToPath(new URL('batch-process.ts', import.meta.url))

/** As on many servers that others have tuned. With the long delay, what a commit has not waited for is lost for sure. */
const SETTINGS = { synchronous_commit: 'off', wal_writer_delay: '10000ms', wal_writer_flush_after: '100MB' }

it.skipIf(isMissing)(
  `two processes send no key of a batch twice, and end all, while Postgres is killed ${CRASHES.length} times${note}`,
  async () => {
    const service = await startPostgres(SETTINGS)
    cleanUps.push(service.stop)
    const server = createCheckedServer({ clock: 'system', latency: 40, credits: 1_000_000 })
    const listening = await listen(server, { port: 0 })
    cleanUps.push(listening.close)
    const { apiKey, baseUrl } = server
    const engineAt = { kind: 'postgres', at: service.url } as const
    const settings = { engineAt, baseUrl, apiKey, keys: KEYS, model: MODEL }
    const processes = [1, 2].map(() => supervise(settings))
    cleanUps.push(async () => {
      for (const { stop } of processes) stop()
    })
    for (const sent of CRASHES) {
      await expect.poll(() => Object.keys(posts(server)).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(sent)
      await service.crash()
    }
    await Promise.all(processes.map(({ ended }) => ended))

    expect(Object.values(posts(server)).filter((count) => count !== 1)).toEqual([])
    const engine = openEngine(engineAt)
    cleanUps.push(() => engine.close())
    const runs = createRuns({ engine, client: new ModelRun({ apiKey, baseUrl }) })
    const progress = await runs.progress()
    expect(progress).toMatchObject({ total: KEYS, waiting: 0, running: 0, done: KEYS - progress.unknown })
    // A run is unknown only when its process could not store the response, or its mark, before its lock was over.
    const jobs = jobsOf(server)
    for (const { key } of await runs.unknown({ limit: KEYS })) {
      const jobId = jobs.get(key)
      if (jobId === undefined) await runs.resubmit(key)
      else await runs.resolve(key, { jobId })
    }
    const finished = await finish(runs)
    await runs.stop()
    expect(finished.map(({ key, state }) => `${key} ${state}`).toSorted()).toEqual(
      Array.from({ length: KEYS }, (_, index) => `key-${index} succeeded`).toSorted(),
    )
    expect(Object.values(posts(server))).toEqual(Array.from({ length: KEYS }, () => 1))
  },
  180_000,
)

/** Starts a process of the batch, and starts it again when the outage ends it, until it says that the batch is done. */
function supervise(settings: object): { ended: Promise<void>; stop(): void } {
  let child: ChildProcess | undefined
  let isStopped = false
  const ended = new Promise<void>((resolve) => {
    const start = () => {
      const args = ['--no-warnings', '--conditions=@modelrun/source', program, JSON.stringify(settings)]
      child = spawn(process.execPath, args, { stdio: 'ignore' })
      child.once('exit', (code) => (code === 0 || isStopped ? resolve() : start()))
    }
    start()
  })
  return {
    ended,
    stop: () => {
      isStopped = true
      child?.kill('SIGKILL')
    },
  }
}

/** The job of each key at the service. */
function jobsOf(server: ReturnType<typeof createCheckedServer>): Map<string, string | undefined> {
  const jobs = new Map<string, string | undefined>()
  for (const entry of server.journal.entries({ kind: 'request' })) {
    if (entry.kind !== 'request' || entry.route !== 'runModel') continue
    jobs.set(JSON.parse(entry.requestBody ?? '{}').input.prompt, entry.job_id)
  }
  return jobs
}
