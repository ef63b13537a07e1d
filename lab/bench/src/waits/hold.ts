import type { LiveJob, LiveResult } from '../children/waits-live.ts'
import { runChild } from '../harness/child.ts'
import { waitForQuiet } from '../harness/quiet.ts'
import { table } from '../harness/report.ts'
import { formatNumber } from '../harness/stats.ts'
import { mean, quantile, type Section } from './section.ts'
import { type ServiceServer, serve } from './server.ts'
import { jobId } from './service.ts'

const CASES = [
  { client: 'modelrun', call: 'client.run(…)', treatment: 'held' },
  { client: 'replicate', call: 'replicate.run(…)', treatment: 'held' },
  { client: 'fal', call: 'fal.run(…)', treatment: 'held' },
  { client: 'fal', call: 'fal.subscribe(…)', treatment: 'queued' },
] as const

const RUNS = 15
const SHORTEST_MS = 39_000
/** From one run's end to the next one's: no two end together, and not all at the same moment of an interval of 500 ms. */
const STEP_MS = 1_033

/** Runs that end while the service holds the connection: of all clients at the same time, in real time. */
export async function measureHold(): Promise<Section> {
  // The indexes of the cases follow each other; the ends of different cases lie between each other.
  const durationMs = (index: number) =>
    SHORTEST_MS + (index % RUNS) * STEP_MS + (Math.floor(index / RUNS) * STEP_MS) / CASES.length
  const server = await serve({ oneWayMs: 0, durationMs })
  await waitForQuiet()
  const found = await Promise.all(CASES.map((item, order) => measure(item, order * RUNS, server)))
  server.close()
  const [ours, replicate, , fal] = found
  const numbers = (pick: (item: Found) => number) => ({
    modelrun: pick(ours ?? NOTHING),
    replicate: pick(replicate ?? NOTHING),
    fal: pick(fal ?? NOTHING),
  })
  return {
    title: 'Sync run under 55 s',
    goals: [
      { what: 'sync run under 55 s: polls', bound: 0, digits: 0, ...numbers(({ polls }) => polls) },
      { what: 'sync run under 55 s: mean lag, ms', bound: 5, digits: 1, ...numbers(({ lagsMs }) => mean(lagsMs)) },
    ],
    paragraphs: [
      `${RUNS} runs of each client, started together, which take ${SHORTEST_MS / 1_000} to ${Math.ceil((SHORTEST_MS + RUNS * STEP_MS) / 1_000)} s. Real time, loopback sockets, a process for each client, all at the same time. fal has two ways, one of which polls; the table of goals has that one. Lag: from the job's end in the server to the resolved promise in the client, by the clock of the machine.`,
      table(
        ['client', 'call', 'polls per run', 'mean lag ms', 'median', 'max'],
        CASES.map(({ client, call }, order) => {
          const { polls, lagsMs } = found[order] ?? NOTHING
          const lags = [mean(lagsMs), quantile(lagsMs, 0.5), Math.max(...lagsMs)]
          return [client, `\`${call}\``, formatNumber(polls, 0), ...lags.map((lag) => formatNumber(lag, 1))]
        }),
      ),
    ],
  }
}

interface Found {
  polls: number
  lagsMs: number[]
}

const NOTHING: Found = { polls: Number.NaN, lagsMs: [Number.NaN] }

async function measure(
  { client, treatment }: (typeof CASES)[number],
  firstIndex: number,
  { origin, service }: ServiceServer,
): Promise<Found> {
  const job: LiveJob = { client, origin, treatment, firstIndex, count: RUNS, isClientNew: false }
  const { result } = await runChild<LiveResult>('waits-live', job)
  const jobs = result.map((_, offset) => service.jobs.get(jobId(firstIndex + offset)))
  return {
    polls: mean(jobs.map((item) => item?.polls ?? Number.NaN)),
    lagsMs: result.map((resolvedAt, offset) => resolvedAt - (jobs[offset]?.endsAt ?? Number.NaN)),
  }
}
