import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskRecord } from '@modelrun/kit'
import { startJobService } from '../../packages/integration-tests/src/durable/job-service.ts'
import { openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { audit, type Violation } from './audit.ts'
import { bundleProgram } from './bundle-program.ts'
import { planSteps, type Step } from './deliveries.ts'
import { openEffects } from './effects.ts'
import { injectReceiverFaults } from './faults.ts'
import { isHopeless } from './handler-outcome.ts'
import { monotonicMs, readJournal } from './journal.ts'
import { startReceivers } from './receivers.ts'
import { createSender } from './sender.ts'
import { INBOX_NAME, MAX_RUN_MS } from './settings.ts'
import type { ChaosStore } from './stores.ts'

export interface InboxChaosOptions {
  jobs: number
  seed: number
  /** Whether something is wrong with each job on purpose. */
  isSabotaged?: boolean | undefined
  /** When no job came to its end for so long, what is open counts as lost. Default 60,000. */
  patienceMs?: number | undefined
}

export interface InboxChaosResult {
  violations: Violation[]
  jobs: number
  deliveries: number
  dropped: number
  /** Deliveries without a response: their receiver ended, or was paused for 10 s. */
  unheard: number
  /** Deliveries with 503. */
  unstored: number
  /** Jobs whose result a poll found. */
  polled: number
  dead: number
  /** Of these, by four processes that ended. */
  poisoned: number
  /** Runs of handlers. */
  runs: number
  kills: number
  stops: number
  drains: number
  /** Processes that ended, those included that their handler ended. */
  deaths: number
  /** Processes that ended by an error that nothing caught. */
  crashes: number
  /** Sorted. */
  responsesMs: readonly number[]
  seconds: number
}

const RECEIVERS = 4
const JOBS_A_SECOND = 25

/** Runs many jobs whose receivers and store have faults, waits until all have ended, and checks what happened. */
export async function runInboxChaos(store: ChaosStore, options: InboxChaosOptions): Promise<InboxChaosResult> {
  const { jobs, seed, isSabotaged = false, patienceMs = 60_000 } = options
  const startedAtMs = monotonicMs()
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-chaos-'))
  const paths = { journalPath: join(folder, 'journal'), effectsPath: join(folder, 'effects.db') }
  const effects = openEffects(paths.effectsPath)
  const [program, service] = await Promise.all([
    bundleProgram(new URL('./receiver-process.ts', import.meta.url), folder),
    startJobService(),
  ])
  const engine = openEngine(store.engineAt, () => {})
  await engine.setup()
  const settings = { engineAt: store.engineAt, serviceUrl: service.url, ...paths, seed, isSabotaged }
  const receivers = startReceivers({ program, settings, count: RECEIVERS })
  const faults = new AbortController()
  try {
    await receivers.allUp()
    const names = Array.from({ length: jobs }, (_, index) => `job_${index}`)
    const steps = planSteps(names, seed)
    const sender = createSender({ engine, service, seed, up: receivers.up })
    const injecting = injectReceiverFaults(receivers, seed, faults.signal)
    await takeSteps(steps, sender.take, atProgress(store.outages, jobs))
    faults.abort()
    await injecting
    const posted = await Promise.all(sender.posts.map(({ posted }) => posted))
    await sender.drain()
    const get = (job: string) => engine.get(`${INBOX_NAME}:results`, job)
    const records = await untilEnded(names, get, patienceMs)
    // Handlers that hang still have to be late.
    await sleep(MAX_RUN_MS)
    const { kills, stops, drains, deaths, crashes } = receivers.counts
    await receivers.stop()
    const entries = readJournal(paths.journalPath)
    const dead = [...records.values()].flatMap((record) => (record?.state === 'dead' ? [record] : []))
    const started = entries.filter((entry) => entry.what === 'started')
    return {
      violations: audit({ entries, records, effects: effects.counts(), isHopeless: (job) => isHopeless(seed, job) }),
      jobs,
      deliveries: posted.length,
      dropped: steps.filter(({ kind }) => kind === 'drop').length,
      unheard: posted.filter(({ status }) => status === 0).length,
      unstored: posted.filter(({ status }) => status === 503).length,
      polled: new Set(started.filter(({ source }) => source === 'poll').map(({ job }) => job)).size,
      dead: dead.length,
      poisoned: dead.filter(({ error }) => error?.code === 'process_died').length,
      runs: started.length,
      ...{ kills, stops, drains, deaths, crashes },
      responsesMs: posted
        .flatMap(({ status, responseMs }) => (status === 0 ? [] : [responseMs]))
        .toSorted((a, b) => a - b),
      seconds: (monotonicMs() - startedAtMs) / 1_000,
    }
  } finally {
    faults.abort()
    await receivers.stop()
    effects.close()
    await Promise.all([service.close(), engine.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

async function takeSteps(
  steps: readonly Step[],
  take: (step: Step) => Promise<void>,
  outages: ReturnType<typeof atProgress>,
): Promise<void> {
  let run = 0
  for (const step of steps) {
    if (step.kind === 'run') {
      run++
      outages.reach(run)
      await sleep(1_000 / JOBS_A_SECOND)
    }
    await take(step)
  }
  await outages.settled()
}

/** Starts the outages one after the other, evenly over the jobs. */
function atProgress(outages: readonly (() => Promise<void>)[], jobs: number) {
  let last = Promise.resolve()
  let started = 0
  return {
    reach: (run: number) => {
      const outage = outages[started]
      if (outage === undefined || run < ((started + 1) * jobs) / (outages.length + 1)) return
      started++
      last = last.then(outage)
    },
    settled: () => last,
  }
}

const POLL_EVERY_MS = 200

/** Waits until each job is done or dead, or none has ended for so long that none will. */
async function untilEnded(
  jobs: readonly string[],
  get: (job: string) => Promise<TaskRecord | undefined>,
  patienceMs: number,
): Promise<Map<string, TaskRecord | undefined>> {
  const records = new Map<string, TaskRecord | undefined>(jobs.map((job) => [job, undefined]))
  const open = new Set(jobs)
  for (let progressAtMs = monotonicMs(); open.size > 0 && monotonicMs() - progressAtMs < patienceMs; ) {
    const { size } = open
    for (const job of open) {
      const record = await get(job).catch(() => undefined)
      records.set(job, record)
      if (record?.state !== 'done' && record?.state !== 'dead') continue
      open.delete(job)
    }
    // By the end of the pass: reading thousands of jobs takes a while itself.
    if (open.size < size) progressAtMs = monotonicMs()
    await sleep(POLL_EVERY_MS)
  }
  return records
}
