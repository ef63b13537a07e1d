import type { LiveJob, LiveResult } from '../children/waits-live.ts'
import { runChild } from '../harness/child.ts'
import { waitForQuiet } from '../harness/quiet.ts'
import { table } from '../harness/report.ts'
import { formatNumber } from '../harness/stats.ts'
import type { WaitingClient } from './clients.ts'
import { createRandom } from './random.ts'
import { CLIENTS, DURATIONS_MS, mean, meanAndMax, ONE_WAY_MS, type Section } from './section.ts'
import { type ServiceServer, serve } from './server.ts'
import { jobId } from './service.ts'

const JOBS = 40

/** Whether virtual time tells the truth: first jobs of new clients in real time, over real sockets. */
export async function checkLive(): Promise<Section> {
  const random = createRandom(1)
  const [shortestMs, longestMs] = DURATIONS_MS
  const durations = Array.from({ length: JOBS }, () => shortestMs + (longestMs - shortestMs) * random())
  const durationMs = (index: number) => durations[index % JOBS] ?? Number.NaN
  const server = await serve({ oneWayMs: ONE_WAY_MS, durationMs })
  await waitForQuiet()
  const rows = await Promise.all(CLIENTS.map((client, order) => measure(client, order * JOBS, server)))
  server.close()
  return {
    title: 'The same in real time',
    goals: [],
    paragraphs: [
      `A check of the virtual time above: first job ever, ${JOBS} jobs of each client at once, each by a new client, over loopback sockets; the server waits ${ONE_WAY_MS} ms before and after each answer.`,
      table(['client', 'polls', 'mean lag ms'], rows),
    ],
  }
}

async function measure(
  client: WaitingClient,
  firstIndex: number,
  { origin, service }: ServiceServer,
): Promise<string[]> {
  const job: LiveJob = { client, origin, treatment: 'queued', firstIndex, count: JOBS, isClientNew: true }
  const { result } = await runChild<LiveResult>('waits-live', job)
  const jobs = result.map((_, offset) => service.jobs.get(jobId(firstIndex + offset)))
  const lagsMs = result.map((resolvedAt, offset) => resolvedAt - (jobs[offset]?.endsAt ?? Number.NaN))
  const looks = jobs.map((item) => item?.looks ?? Number.NaN)
  return [client, meanAndMax(looks, 1), formatNumber(mean(lagsMs), 0)]
}
