import type { Check } from '../check.ts'
import { LASTS } from '../checks/ends.ts'
import { defaultRunJob } from '../checks/runs.ts'
import { successWebhook } from '../checks/webhooks.ts'
import type { Exchange } from '../exchange.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, show } from '../json.ts'
import { every, type Finding, fail, judge, pass } from '../judge/finding.ts'
import { utcTimeOf } from '../judge/utc-timestamp.ts'
import { isTerminal, jobStatus } from '../session/jobs.ts'
import { judgeAll, type Source } from './judge-every.ts'
import { endOf, jobOf, type RunCall, startOf, type World } from './world.ts'

/** A time that the service shows of a job, and where. */
interface Shown {
  member: 'created_at' | 'completed_at'
  /** On the clock of the service. */
  ms: number
  status: unknown
  /** On the clock of the suite. */
  seenMs: number
  exchange: Exchange
}

/** The times of one job. */
interface Times {
  run: RunCall
  shown: readonly Shown[]
}

/** Fractions of a second may be left out. */
const ROUNDED_MS = 1_000
/** What a clock may drift, and a delivery overtake. */
const DRIFT_MS = 10_000

const TIMES: Source<Times> = {
  from: [successWebhook, defaultRunJob, ...LASTS],
  pick: (world) => world.sentRuns.map((run) => timesOf(run, world)).filter(({ shown }) => shown.length > 0),
  nothing: 'no time of a job was shown',
}

/** When jobs were created and completed, wherever that is shown (sections 2.4 and 6). */
export const TIME_JUDGES: readonly Check[] = [
  judgeAll('jobs/times', TIMES, (jobs) => every([...jobs.map(agree), fitOneClock(jobs)])),
]

function timesOf(run: RunCall, world: World): Times {
  const reads = jobOf(run, world)?.reads ?? []
  const deliveries = run.endpoint?.deliveries ?? []
  const ofResponse = (response: ApiResponse, parent: string, status: unknown) =>
    shownIn(at(response.json, parent), { status, seenMs: endOf(response), exchange: response.exchange })
  return {
    run,
    shown: [
      ...ofResponse(run.response, '', at(run.response.json, '/status')),
      ...reads.flatMap((read) => ofResponse(read, '/data', jobStatus(read))),
      ...deliveries.flatMap(({ json, exchange }) =>
        shownIn(json, { status: at(json, '/status'), seenMs: startOf(exchange), exchange }),
      ),
    ],
  }
}

function shownIn(parent: unknown, where: Pick<Shown, 'status' | 'seenMs' | 'exchange'>): Shown[] {
  return (['created_at', 'completed_at'] as const).flatMap((member) => {
    const ms = utcTimeOf(at(parent, `/${member}`))
    return ms === undefined ? [] : [{ member, ms, ...where }]
  })
}

/** Judges that a job is completed when it has ended and not before it was created, and that each of its times is one. */
function agree({ shown }: Times): Finding {
  for (const one of shown) {
    const { member, status, exchange } = one
    const isEnd = isTerminal(status) || status === 'completed'
    if (member === 'completed_at' && !isEnd) return fail(`a job that is ${show(status)} has a completed_at`, [exchange])
    // A job that is cancelled after its end may say so.
    const same = shown.find(
      (other) => other.member === member && (member === 'created_at' || isSame(other.status, status)),
    )
    if (same !== undefined && Math.abs(same.ms - one.ms) > ROUNDED_MS)
      return fail(`${member} of one job is ${iso(same.ms)} and ${iso(one.ms)}`, [same.exchange, exchange])
    const created = shown.find((other) => other.member === 'created_at')
    if (member === 'completed_at' && created !== undefined && one.ms < created.ms - ROUNDED_MS)
      return fail(`completed_at is ${iso(one.ms)}, before created_at (${iso(created.ms)})`, [
        created.exchange,
        exchange,
      ])
  }
  return pass(
    'the times of a job agree',
    shown.map(({ exchange }) => exchange),
  )
}

const isSame = (one: unknown, other: unknown) =>
  String(one).replace('completed', 'succeeded') === String(other).replace('completed', 'succeeded')

/**
 * Judges that each time lies between the start of its run and where it was shown. The clock of the service need not be right, so
 * that this holds for some difference of both clocks, the same for all.
 */
function fitOneClock(jobs: readonly Times[]): Finding {
  const bounds = jobs.flatMap(({ run, shown }) =>
    shown.map((one) => ({
      ...one,
      least: one.ms - one.seenMs,
      most: one.ms - startOf(run.response.exchange),
    })),
  )
  const late = bounds.reduce((one, other) => (other.least > one.least ? other : one))
  const early = bounds.reduce((one, other) => (other.most < one.most ? other : one))
  const detail = `${late.member} is ${iso(late.ms)} where it is ${iso(late.seenMs)} here, and ${early.member} of a later run ${iso(early.ms)}`
  return judge(late.least <= early.most + DRIFT_MS, detail, [late.exchange, early.exchange])
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
