import type { AbortManyJob, AbortManyResult } from '../children/waits-abort.ts'
import { runChild } from '../harness/child.ts'
import { describeDisturbance, measureInQuiet } from '../harness/quiet.ts'
import { table } from '../harness/report.ts'
import { interleave } from '../harness/rounds.ts'
import { formatNumber, formatSummary, summarize } from '../harness/stats.ts'
import type { WaitingClient } from './clients.ts'
import { CLIENTS, MAX_REQUESTS_PER_SECOND, ONE_WAY_MS, type Section, WAITS } from './section.ts'

const ABORT_AFTER_MS = 2_000

const settledOf = ({ settledMs }: AbortManyResult) => settledMs
const listenersOf = ({ listeners }: AbortManyResult) => listeners
const timersOf = ({ timers }: AbortManyResult) => timers
/** In the order of the columns. */
const COUNTS = [
  ({ listenersBefore }: AbortManyResult) => listenersBefore,
  listenersOf,
  ({ timersBefore }: AbortManyResult) => timersBefore,
  timersOf,
]

/** How long many waits go on after the abort of the signal that they share, and what they leave behind. */
export async function measureAbort(rounds: number): Promise<Section> {
  const results = await interleave(CLIENTS, rounds, async (client) => {
    const limits = { maxRequestsPerSecond: MAX_REQUESTS_PER_SECOND, abortAfterMs: ABORT_AFTER_MS }
    const job: AbortManyJob = { client, waits: WAITS, oneWayMs: ONE_WAY_MS, ...limits }
    return await measureInQuiet(async () => (await runChild<AbortManyResult>('waits-abort', job)).result)
  })
  const summaryOf = (client: WaitingClient, pick: (result: AbortManyResult) => number) =>
    summarize((results.get(client) ?? []).map(pick))
  const numbers = (pick: (result: AbortManyResult) => number, which: 'median' | 'max') => ({
    modelrun: summaryOf('modelrun', pick)[which],
    replicate: summaryOf('replicate', pick)[which],
    fal: summaryOf('fal', pick)[which],
  })
  const what = `abort of ${formatNumber(WAITS, 0)} waits`
  return {
    title: `Abort of ${formatNumber(WAITS, 0)} waits by one signal`,
    goals: [
      { what: `${what}: ms until all are settled`, bound: 100, digits: 0, ...numbers(settledOf, 'median') },
      { what: `${what}: listeners left`, bound: 0, digits: 0, ...numbers(listenersOf, 'max') },
      { what: `${what}: timers left`, bound: 0, digits: 0, ...numbers(timersOf, 'max') },
    ],
    paragraphs: [
      `Real time, the network simulated in the process with ${ONE_WAY_MS} ms in each direction; the abort comes ${ABORT_AFTER_MS / 1_000} s after the waits began, and the jobs go on. From \`controller.abort()\` until the last promise is settled: median (min–max) of ${rounds} rounds, a fresh process each. Listeners are those on the signal, timers those of the process without the simulated network's, right after the last promise. \`replicate.wait\` takes no signal: its \`stop\` looks at it, as its \`run\` does. ${describeDisturbance([...results.values()].flat())}`,
      table(
        ['client', 'settled after ms', 'how', 'listeners before', 'listeners left', 'timers before', 'timers left'],
        CLIENTS.map((client) => [
          client,
          formatSummary(summaryOf(client, settledOf), 0),
          [...new Set((results.get(client) ?? []).flatMap(({ how }) => how))].join(', '),
          ...COUNTS.map((pick) => formatNumber(summaryOf(client, pick).max, 0)),
        ]),
      ),
    ],
  }
}
