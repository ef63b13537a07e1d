import type { BatchChaosResult } from './run-batch.ts'
import type { InboxChaosResult } from './run-inbox.ts'
import type { MomentsResult } from './run-moments.ts'
import type { EngineKind } from './stores.ts'

const MAX_TIMELINES = 5

/** One line of figures. */
export function describeInbox(kind: EngineKind, result: InboxChaosResult): string {
  const { responsesMs, violations } = result
  const of = (what: string) => violations.filter((violation) => violation.kind === what).length
  return [
    `inbox on ${kind}: ${result.jobs} jobs, ${result.deliveries} deliveries, ${result.unheard} of them without a response,`,
    `${result.unstored} with 503, ${result.dropped} more dropped; ${result.kills} kills, ${result.stops} stops, ${result.drains} drains, ${result.deaths} deaths, ${result.crashes} crashes;`,
    `${result.runs} runs, ${result.polled} found by polls, ${result.dead} dead letters, ${result.poisoned} of them by four deaths;`,
    `lost ${of('lost')}, dead wrongly ${of('dead wrongly')}, twice ${of('twice')}, overlaps ${of('overlap')},`,
    `late ${of('late')}, forged ${of('forged') + of('invented')};`,
    `${describeTimes(responsesMs)}; ${Math.round(result.seconds)} s`,
  ].join(' ')
}

function describeTimes(sortedMs: readonly number[]): string {
  const at = (part: number) => sortedMs[Math.floor(sortedMs.length * part)]?.toFixed(1)
  return `response p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

export function describeBatch(kind: EngineKind, result: BatchChaosResult): string {
  const { keys, posted, unknown, twice, lost, deaths, seconds } = result
  return `batch on ${kind}: ${keys} keys, ${posted} POSTs, ${deaths} deaths; ${unknown} unknown, resolved by hand; POSTed twice ${twice.length}, lost ${lost.length}; ${Math.round(seconds)} s`
}

export function describeMoments(kind: EngineKind, { cases, unknown, broken }: MomentsResult): string {
  return [`moments on ${kind}: ${cases} batches, ${unknown} runs unknown; broken ${broken.length}`, ...broken].join(
    '\n  ',
  )
}

/** What went wrong, for people, with what runs it again; undefined when nothing did. */
export function describeViolations(
  { kind, seed }: { kind: EngineKind; seed: number },
  { violations, jobs }: InboxChaosResult,
): string | undefined {
  if (violations.length === 0) return undefined
  const timelines = violations
    .slice(0, MAX_TIMELINES)
    .map(({ kind: what, job, timeline }) => `  ${what} ${job}: ${timeline}`)
  const more = violations.length > MAX_TIMELINES ? [`  and ${violations.length - MAX_TIMELINES} more`] : []
  const again = `npm run chaos -- --engines ${kind} --jobs ${jobs} --seed ${seed}`
  return [`${kind}: ${violations.length} violations. Again: ${again}`, ...timelines, ...more].join('\n')
}

/** The times of the responses when nothing goes wrong; sorted. */
export function describeCalm(kind: EngineKind, responsesMs: readonly number[]): string {
  return `${responsesMs.length} deliveries on ${kind}, 100 a second to four processes: ${describeTimes(responsesMs)}`
}

/** The times from the end of a process to the next start of its task; sorted. */
export function describeTakeover(
  { kind, lockMs }: { kind: EngineKind; lockMs: number },
  timesMs: readonly number[],
): string {
  const seconds = (ms = 0) => (ms / 1_000).toFixed(1)
  return `${timesMs.length} kills in handlers on ${kind}, lock of ${lockMs / 1_000} s: run elsewhere after ${seconds(timesMs[0])} to ${seconds(timesMs.at(-1))} s`
}
