import type { DeliveryExchange, Fault, Life, RequestExchange } from '../data/wire.ts'
import { capitalized, count, formatDuration } from '../text/format.ts'

/** The outcome of a job, in a sentence or a few. */
export function outcomeText({ job, exchanges }: Life, nowMs: number): string {
  const { status, created_at_ms, ended_at_ms, message, code, charged, credits } = job
  const took = formatDuration((ended_at_ms ?? nowMs) - created_at_ms)
  const isOver = ended_at_ms !== undefined
  const why = (message ?? code)?.replace(/\.$/, '')
  const requests = exchanges.filter((one) => one.kind === 'request')
  const runs = requests.filter(({ route }) => route === 'runModel')
  const rejected = runs.filter(({ job_id }) => job_id === undefined).length
  const isLost = runs.some(({ job_id, status: httpStatus }) => job_id !== undefined && httpStatus === undefined)
  const deliveries = exchanges.filter((one) => one.kind === 'delivery')
  const failed = deliveries.filter(({ outcome }) => outcome !== 'delivered')
  const counts = [
    isOver ? `${count(charged, 'credit')} charged` : `${count(credits, 'credit')} reserved`,
    count(requests.filter(({ route }) => route === 'getJob').length, 'poll'),
    count(deliveries.length, 'webhook'),
  ]
  const sentences = [
    `${capitalized(status)} ${isOver ? 'after' : 'for'} ${took}${why === undefined ? '' : `: ${why}`}.`,
    `${counts.join(', ')}.`,
    rejected > 0 && `${count(rejected, 'earlier attempt')} to send the run failed.`,
    isLost && 'The response to the run was lost: the job was made all the same. To send the run again would pay twice.',
    deliveries.length > 1 && `The result was delivered ${deliveries.length} times.`,
    failed.length > 0 && `${count(failed.length, 'delivery', 'deliveries')} failed: ${reasonOf(failed.at(-1))}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** Why a delivery failed: what the receiver responded, or why it did not. */
function reasonOf(delivery: DeliveryExchange | undefined): string {
  const { status, reason, outcome } = delivery ?? {}
  return String(reason ?? status ?? outcome?.replace('_', ' '))
}

/** The faults that were injected into the requests of a job, each to be injected once more. */
export function faultsOf({ exchanges }: Pick<Life, 'exchanges'>): Fault[] {
  const faulty = exchanges.filter((one): one is RequestExchange => one.kind === 'request' && one.fault !== undefined)
  return faulty.map(({ fault = '', route, job_id }) => ({
    kind: fault.replace(/ .*/, ''),
    ...(route && { route }),
    times: 1,
    // Without the work there would be no job.
    ...(route === 'runModel' && job_id && { when: 'after' as const }),
  }))
}
