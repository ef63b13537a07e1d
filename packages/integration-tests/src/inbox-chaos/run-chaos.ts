import type { InboxRecord } from 'modelrun/webhooks'
import { type Audit, auditJournal } from './audit.ts'
import { chance } from './chance.ts'
import { planSteps, type Step } from './deliveries.ts'
import { CHAOS, type FateRates } from './fate.ts'
import { monotonicMs } from './journal.ts'
import { type Posted, postDelivery } from './post-delivery.ts'
import { STALL_MS, type StoreSettings } from './receiver-settings.ts'
import { createWorld, type World } from './world.ts'

export interface ChaosOptions {
  store: StoreSettings
  jobs: number
  seed: number
  rates?: FateRates
  /** True for a store that is wrong on purpose. */
  isFaulty?: boolean
  /** Without anything happening for so long, what is not done counts as lost. */
  patienceMs?: number
}

export interface ChaosResult extends Audit {
  jobs: number
  /** Deliveries that were sent. */
  deliveries: number
  /** Jobs whose delivery was dropped on purpose. */
  dropped: number
  /** Deliveries without an answer, or with another one than 2xx. */
  unanswered: number
  /** Processes that died. */
  deaths: number
  /** Sorted times until deliveries were answered. */
  acksMs: number[]
  seconds: number
}

/** Runs many jobs whose receivers die, stall and throw, waits until they are done, and looks at what happened. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { jobs, rates = CHAOS, patienceMs = 30_000 } = options
  const startedAtMs = monotonicMs()
  const world = await createWorld({ ...options, rates })
  try {
    const steps = planSteps(options)
    const posted = await takeSteps(world, steps)
    const names = Array.from({ length: jobs }, (_, index) => `job_${index}`)
    await untilDone(world, names, patienceMs)
    const { deaths } = world.receivers
    await world.receivers.stop()
    if (process.env.KEEP) (await import('node:fs')).copyFileSync(world.journalPath, process.env.KEEP)
    const acksMs = posted.flatMap((answer) => (answer.isAnswered ? [answer.ackMs] : [])).toSorted((a, b) => a - b)
    return {
      ...auditJournal(world.progress.entries, await readRecords(world, names)),
      jobs,
      deliveries: posted.length,
      dropped: steps.filter(({ kind }) => kind === 'drop').length,
      unanswered: posted.filter((answer) => !isAccepted(answer)).length,
      deaths,
      acksMs,
      seconds: (monotonicMs() - startedAtMs) / 1_000,
    }
  } finally {
    await world.close()
  }
}

/** Delivered jobs that are not done: the service sends no more until there are fewer. */
const MAX_OPEN = 60

async function takeSteps(world: World, steps: readonly Step[]): Promise<Posted[]> {
  const { service, sender, receivers, progress, seed } = world
  const runs = new Map<string, { url: string; ref: string }>()
  const open = new Set<string>()
  let unanswered = 0
  const posts: Promise<Posted>[] = []

  function isRoom(): boolean {
    for (const job of open) if (progress.done.has(job)) open.delete(job)
    return open.size + unanswered < MAX_OPEN
  }

  async function deliver(job: string): Promise<void> {
    await progress.until(isRoom)
    const receiver = await receivers.pick(chance(seed, 'receiver', posts.length))
    const { url = '' } = runs.get(job) ?? {}
    const post = postDelivery(receiver, url, JSON.stringify(service.finish(job)))
    unanswered++
    posts.push(
      post.then((answer) => {
        unanswered--
        if (isAccepted(answer)) open.add(job)
        return answer
      }),
    )
  }

  for (const { kind, job } of steps) {
    if (kind === 'run') {
      runs.set(job, await sender.prepare())
      service.start(job)
    }
    if (kind === 'note') await sender.expect(job, { ref: runs.get(job)?.ref })
    if (kind === 'drop') service.finish(job)
    if (kind === 'deliver') await deliver(job)
  }
  return await Promise.all(posts)
}

function isAccepted(answer: Posted): boolean {
  return answer.isAnswered && answer.status < 300
}

/** After so long without news, it is the store that tells what is done: some could not note their completion. */
const NEWS_MS = 1_000

async function untilDone({ progress, store }: World, jobs: readonly string[], patienceMs: number): Promise<void> {
  for (let left = jobs; left.length > 0 && progress.quietMs() < patienceMs; ) {
    await progress.until(() => left.every((job) => progress.done.has(job)) || progress.quietMs() > NEWS_MS)
    left = left.filter((job) => !progress.done.has(job))
    const records = await Promise.all(left.map((job) => store.get(job)))
    left = left.filter((_, index) => records[index]?.state !== 'done')
  }
  // Those who stall still have to try.
  await progress.until(() => progress.quietMs() > STALL_MS + NEWS_MS)
}

const PAGE = 100

async function readRecords({ store }: World, jobs: readonly string[]): Promise<Map<string, InboxRecord | undefined>> {
  const records = new Map<string, InboxRecord | undefined>()
  for (let start = 0; start < jobs.length; start += PAGE) {
    const page = jobs.slice(start, start + PAGE)
    const found = await Promise.all(page.map((job) => store.get(job)))
    for (const [index, job] of page.entries()) records.set(job, found[index])
  }
  return records
}
