import { TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import type { Exchange } from '../exchange.ts'
import { every, type Finding, fail, pass } from '../finding.ts'
import { at, show } from '../json.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { isUnfinished } from '../session/actions.ts'
import { judgeAll, type Source } from './judge-world.ts'
import { utcTimeOf } from './utc-timestamp.ts'
import { endOf, jobOf, type RunCall, startOf, type World } from './world.ts'

/** A completed_at that was shown, and how far the clock of the service may be ahead of that of the suite. */
interface ShownTime {
  exchange: Exchange
  status: unknown
  ms: number
  least: number
  most: number
}

/** Fractions of a second may be left out. */
const ROUNDED_MS = 1_000
/** What a clock may drift, and a delivery overtake. */
const DRIFT_MS = 10_000

/** The times of one job. */
const TIMES: Source<ShownTime[]> = {
  from: [FIRST.webhook, FIRST.default, ...LASTS],
  pick: (world) => world.sentRuns.map((run) => timesOf(run, world)).filter((times) => times.length > 0),
  nothing: 'no time of a job was shown',
}

/** When jobs were completed, wherever that is shown (sections 2.4 and 6). */
export const TIME_JUDGES: readonly Check[] = [
  judgeAll('jobs/times', TIMES, (jobs) => every([...jobs.map(agree), fitOneClock(jobs.flat())])),
]

/** A job ends after its run was sent and it was last seen to continue, and before its time is shown. */
function timesOf(run: RunCall, world: World): ShownTime[] {
  const { response, endpoint } = run
  const reads = jobOf(run, world)?.reads ?? []
  const heldMs = run.says === 'processing' ? endOf(response) : startOf(response.exchange)
  const continuedMs = Math.max(heldMs, ...reads.filter(isUnfinished).map(({ exchange }) => startOf(exchange)))
  const shown = [
    { body: response.json, exchange: response.exchange, shownMs: endOf(response) },
    ...reads.map((read) => ({ body: at(read.json, '/data'), exchange: read.exchange, shownMs: endOf(read) })),
    ...(endpoint?.deliveries ?? []).map(({ json, exchange }) => ({ body: json, exchange, shownMs: startOf(exchange) })),
  ]
  return shown.flatMap(({ body, exchange, shownMs }) => {
    const [ms, says] = [utcTimeOf(at(body, '/completed_at')), at(body, '/status')]
    const status = says === 'completed' ? 'succeeded' : says
    return ms === undefined ? [] : [{ exchange, status, ms, least: ms - shownMs, most: ms - continuedMs }]
  })
}

/** Judges that a job is completed when it has ended, and that its time is one. A job that is cancelled after its end may say when. */
function agree(times: readonly ShownTime[]): Finding {
  for (const time of times) {
    const isEnd = TERMINAL_JOB_STATUSES.some((end) => end === time.status)
    if (!isEnd) return fail(`a job that is ${show(time.status)} has a completed_at`, time)
    const same = times.find(({ status }) => status === time.status) ?? time
    if (Math.abs(same.ms - time.ms) > ROUNDED_MS) return differ('completed_at of one job differs', same, time)
  }
  return pass('the times of a job agree', times)
}

/** Judges that all times fit one clock. That of the service need not be right, but its difference is the same for all. */
function fitOneClock(times: readonly ShownTime[]): Finding {
  const [late] = times.toSorted((one, other) => other.least - one.least)
  const [early] = times.toSorted((one, other) => one.most - other.most)
  const isRight = late === undefined || early === undefined || late.least <= early.most + DRIFT_MS
  return isRight
    ? pass('all times are of one clock', times)
    : differ('no clock shows both times in completed_at', late, early)
}

function differ(what: string, one: ShownTime, other: ShownTime): Finding {
  const [first, second] = [one, other].map(({ ms }) => new Date(ms).toISOString())
  return fail(`${what}: ${first} and ${second}`, [one, other])
}
