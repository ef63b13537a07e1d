import type { LegalModel } from './legal-catalog.ts'
import type { LegalChoices } from './legal-choices.ts'

/** A job. What it shows follows from this and the time. */
export interface LegalJob {
  id: string
  requestId: string
  account: string
  model: LegalModel
  fails: boolean
  createdAt: number
  processingAt: number
  endsAt: number
  cancelledAt: number | undefined
  webhookUrl: string | undefined
  /** Called with the cancel. */
  onCancel: (() => void)[]
}

export function statusOf(job: LegalJob, now: number): string {
  if (job.cancelledAt !== undefined && now >= job.cancelledAt) return 'cancelled'
  if (now >= job.endsAt) return job.fails ? 'failed' : 'succeeded'
  return now < job.processingAt ? 'queued' : 'processing'
}

/** What the job costs its account by now. */
export function chargeOf(job: LegalJob, now: number, choices: LegalChoices): number {
  const { creditsOfFailed, refundMs, takenAtStart } = choices
  const status = statusOf(job, now)
  const isFailure = job.fails && status !== 'cancelled' && status !== 'queued'
  const isTaken =
    creditsOfFailed === 'refunded' ? now < job.endsAt + refundMs : creditsOfFailed === 'charged' && status === 'failed'
  const isHeld = takenAtStart && now >= job.createdAt && !job.fails && now < (job.cancelledAt ?? now + 1) + refundMs
  const isCharged = status === 'succeeded' || isHeld || (isFailure && isTaken)
  return isCharged ? job.model.credits : 0
}

export function errorOf(job: LegalJob, { errorMembers }: LegalChoices): Record<string, unknown> {
  const more = errorMembers === 'of all' ? { provider_code: 'E17' } : {}
  return { code: 'PROVIDER_FAILURE', message: `${job.model.shown.id} failed at the provider`, ...more }
}

/** Output of a job that succeeded (section 2.5). A signed url is another one each time. */
export function outputOf(job: LegalJob, choices: LegalChoices, { origin, nonce }: { origin: string; nonce: number }) {
  const { outputType: type, items, fileUrls } = choices
  const path = (index: number) => `${origin}/files/${job.id}/${index}.png`
  const urlOf = (index: number) =>
    ({
      plain: path(index),
      signed: `${path(index)}?sig=${nonce}&exp=99`,
      data: 'data:image/png;base64,iVBORw0KGgo=',
      storage: `s3://bucket/${job.id}/${index}.png`,
    })[fileUrls]
  const count = { one: 1, three: 3, none: 0 }[items]
  return { type, items: Array.from({ length: count }, (_, index) => ({ type, url: urlOf(index) })) }
}

/** The `data` of a job's status (section 4.4). */
export function jobView(job: LegalJob, choices: LegalChoices, { now, output }: { now: number; output: object }) {
  const status = statusOf(job, now)
  const absent = choices.absent === 'null' ? { output: null, error: null } : {}
  const shown = { ...absent, ...(status === 'succeeded' ? { output } : {}) }
  const error = status === 'failed' ? { error: errorOf(job, choices) } : {}
  const more = {
    none: {},
    few: { job_id: job.id, created_at: clockOf(choices)(job.createdAt) },
    many: { id: job.id, progress: 0.5, model_id: job.model.shown.id, request_id: job.requestId, attempts: 1, logs: [] },
  }[choices.jobFields]
  return { ...more, ...timesOf(job, choices, status), status, ...shown, ...error }
}

/** What a clock of its own shows. */
export function clockOf({ jobTimes }: LegalChoices): (ms: number) => string {
  return (ms) => new Date(ms + (jobTimes === 'of a clock 3 h ahead' ? 3 * 3_600_000 : 0)).toISOString()
}

function timesOf({ createdAt, endsAt, cancelledAt }: LegalJob, choices: LegalChoices, status: string) {
  if (choices.jobTimes === 'none') return {}
  const iso = clockOf(choices)
  const isOver = status !== 'queued' && status !== 'processing'
  return { created_at: iso(createdAt), completed_at: isOver ? iso(cancelledAt ?? endsAt) : null }
}
