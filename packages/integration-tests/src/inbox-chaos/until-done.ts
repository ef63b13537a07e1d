import { setTimeout as sleep } from 'node:timers/promises'
import type { InboxRecord } from 'modelrun/webhooks'
import { STALL_MS } from './receiver-settings.ts'
import type { World } from './world.ts'

/** After so long without news, it is the store that tells what is done: some could not note their completion. */
const NEWS_MS = 1_000

const LOOK_AGAIN_MS = 100

/** Waits until all jobs are done, or nothing has happened for so long that they never will be. */
export async function untilDone(world: World, jobs: readonly string[], patienceMs: number): Promise<void> {
  const { progress } = world
  let isHopeful = true
  for (let left = jobs; left.length > 0 && isHopeful; ) {
    await progress.until(() => left.every((job) => progress.done.has(job)) || progress.quietMs() > NEWS_MS)
    left = left.filter((job) => !progress.done.has(job))
    const records = await readRecords(world, left)
    left = left.filter((job) => records.get(job)?.state !== 'done')
    // The service is in this process, and a store that answers at once would leave it no time.
    await sleep(LOOK_AGAIN_MS)
    isHopeful = progress.quietMs() < patienceMs || left.some((job) => isToBeLookedAt(records.get(job), patienceMs))
  }
  // Those who stall still have to try.
  await progress.until(() => progress.quietMs() > STALL_MS + NEWS_MS)
}

/** A job that was looked at often while it was running is looked at seldom: its turn may be far off. */
function isToBeLookedAt(record: InboxRecord | undefined, patienceMs: number): boolean {
  return record?.state === 'expected' && record.dueInMs > -patienceMs
}

const PAGE = 100

export async function readRecords(
  { store }: World,
  jobs: readonly string[],
): Promise<Map<string, InboxRecord | undefined>> {
  const records = new Map<string, InboxRecord | undefined>()
  for (let start = 0; start < jobs.length; start += PAGE) {
    const page = jobs.slice(start, start + PAGE)
    const found = await Promise.all(page.map((job) => store.get(job)))
    for (const [index, job] of page.entries()) records.set(job, found[index])
  }
  return records
}
