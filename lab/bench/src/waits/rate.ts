import type { RateJob, RateResult } from '../children/waits-rate.ts'
import { runChild } from '../harness/child.ts'
import { table } from '../harness/report.ts'
import { formatNumber } from '../harness/stats.ts'
import type { WaitingClient } from './clients.ts'
import { CLIENTS, DURATIONS_MS, MAX_REQUESTS_PER_SECOND, ONE_WAY_MS, type Section, WAITS } from './section.ts'

/** Long enough for the clients without a limit to show their rate; ours is measured to its end. */
const UNLIMITED_UNTIL_MS = 5_000

/** How many requests in any second waits for many jobs make together. */
export async function measureRate(): Promise<Section> {
  const found = new Map<WaitingClient, RateResult>()
  for (const client of CLIENTS) found.set(client, await measure(client))
  const peakOf = (client: WaitingClient) => found.get(client)?.peak ?? Number.NaN
  const numbers = { modelrun: peakOf('modelrun'), replicate: peakOf('replicate'), fal: peakOf('fal') }
  const what = `${formatNumber(WAITS, 0)} waits, limit ${MAX_REQUESTS_PER_SECOND}/s`
  return {
    title: `${formatNumber(WAITS, 0)} waits at once: rate`,
    goals: [
      { what: `${what}: most requests sent in any second`, bound: MAX_REQUESTS_PER_SECOND, digits: 0, ...numbers },
    ],
    paragraphs: [
      `Waits for jobs that started with them, known by their ids; virtual time and network as above. modelrun with \`polling: { maxRequestsPerSecond: ${MAX_REQUESTS_PER_SECOND} }\` until all have ended; the others have no limit, and are stopped after ${UNLIMITED_UNTIL_MS / 1_000} s. The second is any second, not one of the clock.`,
      table(
        ['client', 'most sent in any second', 'requests', 'waits ended', 'jobs never polled', 'after s'],
        CLIENTS.map((client) => {
          const result = found.get(client)
          const counts = [result?.peak, result?.requests, result?.ended, result?.unseen]
          const took = formatNumber((result?.tookMs ?? Number.NaN) / 1_000, 0)
          return [client, ...counts.map((count) => formatNumber(count ?? Number.NaN, 0)), took]
        }),
      ),
    ],
  }
}

async function measure(client: WaitingClient): Promise<RateResult> {
  const untilMs = client === 'modelrun' ? DURATIONS_MS[1] * WAITS : UNLIMITED_UNTIL_MS
  const limits = { maxRequestsPerSecond: MAX_REQUESTS_PER_SECOND, untilMs }
  const job: RateJob = { client, seed: 1, waits: WAITS, durationsMs: DURATIONS_MS, oneWayMs: ONE_WAY_MS, ...limits }
  return (await runChild<RateResult>('waits-rate', job)).result
}
