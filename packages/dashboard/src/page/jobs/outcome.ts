import { missedReason } from '../activity/rows.ts'
import type { Life } from '../data/wire.ts'
import { capitalized, count, formatDuration } from '../text/format.ts'

/** So many characters of a reason are in the sentence. */
const MAX_REASON = 80

export function outcomeText({ job, exchanges }: Life, nowMs: number): string {
  const { status, created_at_ms, ended_at_ms, message, code, charged, credits } = job
  const took = formatDuration((ended_at_ms ?? nowMs) - created_at_ms)
  const isOver = ended_at_ms !== undefined
  const why = shortened(message ?? code)
  const requests = exchanges.filter((one) => one.kind === 'request')
  const isLost = requests.some((one) => one.route === 'runModel' && one.status === undefined)
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
    isLost && 'The response to the run was lost: the job was made all the same. To send the run again would pay twice.',
    deliveries.length > 1 && `The result was sent ${deliveries.length} times.`,
    failed.length > 0 &&
      `${count(failed.length, 'delivery', 'deliveries')} failed: ${failed.map(missedReason).at(-1)}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** The whole message is below the sentence. */
function shortened(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= MAX_REASON) return text?.replace(/\.$/, '')
  return `${text.slice(0, MAX_REASON)}…`
}
