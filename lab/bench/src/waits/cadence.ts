import type { CadenceJob, CadenceResult } from '../children/waits-cadence.ts'
import { runChild } from '../harness/child.ts'
import { table } from '../harness/report.ts'
import { formatNumber } from '../harness/stats.ts'
import type { WaitingClient } from './clients.ts'
import { CLIENTS, DURATIONS_MS, mean, meanAndMax, ONE_WAY_MS, quantile, type Section } from './section.ts'

const SEEDS = [1, 2, 3, 4, 5]
const JOBS = 200
const LEARN_JOBS = 16

interface Case {
  title: string
  learnCount: number
  isClientNew: boolean
  maxPolls: number
  maxLagMs: number
}

const CASES: readonly Case[] = [
  { title: '40 s job, durations known', learnCount: LEARN_JOBS, isClientNew: false, maxPolls: 8, maxLagMs: 400 },
  { title: '40 s job, first job ever', learnCount: 0, isClientNew: true, maxPolls: 20, maxLagMs: 1_500 },
]

/** How often a job of 40 s is polled, and how late its end is known: on virtual time. */
export async function measureCadence(): Promise<Section> {
  const sections = []
  for (const item of CASES) sections.push(await measureCase(item))
  const [shortest, longest] = DURATIONS_MS.map((ms) => ms / 1_000)
  const intro = `Jobs of ${shortest} to ${longest} s, spread evenly, one after another; polls are all GETs until the result is there. Network: ${ONE_WAY_MS} ms in each direction, simulated in the process. Virtual time: modelrun by its option \`clock\`, the others by fake timers of the process, all at their default intervals; what a client computes takes no time. The durations are the same for every client, ${SEEDS.length} seeds × ${JOBS} jobs. Durations known: after ${LEARN_JOBS} jobs of the same client, which do not count; the other clients learn nothing. First job ever: each job by a new client.`
  return {
    title: '40 s job by polling',
    goals: sections.flatMap(({ goals }) => goals),
    paragraphs: [intro, ...sections.flatMap(({ paragraphs }) => paragraphs)],
  }
}

async function measureCase(item: Case): Promise<Omit<Section, 'title'>> {
  const { title, maxPolls, maxLagMs } = item
  const found = new Map<WaitingClient, CadenceResult[]>()
  for (const client of CLIENTS) found.set(client, await measureSeeds(client, item))
  const all = (client: WaitingClient, pick: (result: CadenceResult) => number[]) =>
    (found.get(client) ?? []).flatMap(pick)
  const numbers = (pick: (result: CadenceResult) => number[]) => ({
    modelrun: mean(all('modelrun', pick)),
    replicate: mean(all('replicate', pick)),
    fal: mean(all('fal', pick)),
  })
  const rows = CLIENTS.map((client) => {
    const lags = all(client, lagsOf)
    const worst = Math.max(...(found.get(client) ?? []).map(({ lagsMs }) => mean(lagsMs)))
    const shown = [quantile(lags, 0.95), Math.max(...lags), worst].map((lag) => formatNumber(lag, 0))
    return [client, meanAndMax(all(client, pollsOf), 1), formatNumber(mean(lags), 0), ...shown]
  })
  return {
    goals: [
      { what: `${title}: mean polls`, bound: maxPolls, digits: 1, ...numbers(pollsOf) },
      { what: `${title}: mean lag, ms`, bound: maxLagMs, digits: 0, ...numbers(lagsOf) },
    ],
    paragraphs: [`### ${title}`, table(['client', 'polls', 'mean lag ms', '95 %', 'max', 'mean of worst seed'], rows)],
  }
}

const pollsOf = ({ polls }: CadenceResult) => polls
const lagsOf = ({ lagsMs }: CadenceResult) => lagsMs

async function measureSeeds(
  client: WaitingClient,
  { learnCount, isClientNew }: Pick<Case, 'learnCount' | 'isClientNew'>,
): Promise<CadenceResult[]> {
  const results = []
  for (const seed of SEEDS) {
    const settings = { durationsMs: DURATIONS_MS, oneWayMs: ONE_WAY_MS, learnCount, count: JOBS, isClientNew }
    const job: CadenceJob = { client, seed, ...settings }
    results.push((await runChild<CadenceResult>('waits-cadence', job)).result)
  }
  return results
}
