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

/** A time that the service shows of a job, and where. */
type Shown = Times['shown'][number]

/** The times of one job, when its run was sent, and when it was last seen to continue. */
type Times = ReturnType<typeof timesOf>

/** Fractions of a second may be left out. */
const ROUNDED_MS = 1_000
/** What a clock may drift, and a delivery overtake. */
const DRIFT_MS = 10_000

const TIMES: Source<Times> = {
  from: [FIRST.webhook, FIRST.default, ...LASTS],
  pick: (world) => world.sentRuns.map((run) => timesOf(run, world)).filter(({ shown }) => shown.length > 0),
  nothing: 'no time of a job was shown',
}

const isEnd = (status: unknown) => TERMINAL_JOB_STATUSES.some((end) => end === status)

/** When jobs were completed, wherever that is shown (sections 2.4 and 6). */
export const TIME_JUDGES: readonly Check[] = [
  judgeAll('jobs/times', TIMES, (jobs) => every([...jobs.map(agree), fitOneClock(jobs)])),
]

function timesOf(run: RunCall, world: World) {
  const { response, endpoint } = run
  const shownIn = (parent: unknown, exchange: Exchange, seenMs = startOf(exchange)) => {
    const [ms, says] = [utcTimeOf(at(parent, '/completed_at')), at(parent, '/status')]
    // The response to a synchronous run says completed.
    const status = says === 'completed' ? 'succeeded' : says
    // `ms` is on the clock of the service, and `seenMs` on that of the suite.
    return ms === undefined ? [] : [{ ms, status, seenMs, exchange }]
  }
  const reads = jobOf(run, world)?.reads ?? []
  const heldMs = run.says === 'processing' ? endOf(response) : startOf(response.exchange)
  return {
    continuedMs: Math.max(heldMs, ...reads.filter(isUnfinished).map(({ exchange }) => startOf(exchange))),
    exchange: response.exchange,
    shown: [
      ...shownIn(response.json, response.exchange, endOf(response)),
      ...reads.flatMap((read) => shownIn(at(read.json, '/data'), read.exchange, endOf(read))),
      ...(endpoint?.deliveries ?? []).flatMap(({ json, exchange }) => shownIn(json, exchange)),
    ],
  }
}

/** Judges that a job is completed when it has ended, and that its time is one. A job that is cancelled after its end may say when. */
function agree({ shown }: Times): Finding {
  for (const one of shown) {
    if (!isEnd(one.status)) return fail(`a job that is ${show(one.status)} has a completed_at`, one)
    const same = shown.find(({ status }) => status === one.status) ?? one
    if (Math.abs(same.ms - one.ms) > ROUNDED_MS) return differ('completed_at of one job differs', same, one)
  }
  return pass('the times of a job agree', shown)
}

/**
 * Judges that each time lies between the start of its run, or where it was seen to continue, and where it was shown. The clock of
 * the service need not be right, so that this holds for some difference of both clocks, the same for all.
 */
function fitOneClock(jobs: readonly Times[]): Finding {
  const bounds = jobs.flatMap(({ continuedMs, shown }) =>
    shown.map((one) => ({ one, least: one.ms - one.seenMs, most: one.ms - continuedMs })),
  )
  const [late] = bounds.toSorted((one, other) => other.least - one.least)
  const [early] = bounds.toSorted((one, other) => one.most - other.most)
  const isRight = late === undefined || early === undefined || late.least <= early.most + DRIFT_MS
  return isRight ? pass('all times are of one clock', jobs) : differ('no clock shows both', late.one, early.one)
}

function differ(what: string, one: Shown, other: Shown): Finding {
  const [first, second] = [one, other].map(({ ms }) => new Date(ms).toISOString())
  return fail(`${what}: ${first} and ${second}`, [one, other])
}
