import type { Activity } from '../clock/activity.ts'
import type { Jump } from '../clock/auto-clock.ts'
import type { Job } from '../domain/job.ts'
import type { IncomingRequest, ReplyOrFault } from '../http/messages.ts'
import type { Breakpoints } from '../service/breakpoints.ts'
import { jobOfPath, NATURAL_ORDER, type Step, type StepKind, seenStatus } from './step.ts'

/** The limits of an exploration. */
export interface SchedulerOptions {
  /** Number of other steps that an event can wait for: a client that polls for ever would never see an end otherwise. */
  maxDelay: number
  /** Whether a job may also never end. */
  jobsMayHang: boolean
}

/** Holds what happens in one server, lists what could be next, and records what was. */
export class Scheduler implements Breakpoints {
  readonly #activity: Activity
  readonly #pending = new Set<Step>()
  /** Each job by the order of their creation, from 1. */
  readonly #numbers = new Map<string, number>()
  /** Statuses of responses to the runs of these jobs that the client has not seen yet. */
  readonly #unseenResponses = new Map<string, number>()
  readonly #taken: { key: string; text: string }[] = []
  readonly #options: SchedulerOptions
  /** Whether an event had to happen because it had waited for `maxDelay` other steps. */
  wasBounded = false
  #jump: Jump | undefined
  #isOver = false

  constructor(activity: Activity, options: SchedulerOptions) {
    this.#activity = activity
    this.#options = options
  }

  /** What could happen next, the most natural first. */
  options(): Step[] {
    const live = this.#live()
    const overdue = live.filter(({ passedOver }) => passedOver >= this.#options.maxDelay)
    this.wasBounded ||= overdue.length > 0 && overdue.length < live.length
    const steps = overdue.length > 0 ? overdue : live
    const firstOfKey = steps.filter(({ key }, index) => steps.findIndex((step) => step.key === key) === index)
    return firstOfKey.sort((one, other) => NATURAL_ORDER.indexOf(one.kind) - NATURAL_ORDER.indexOf(other.kind))
  }

  /** Whether nothing is left but a time limit of a client, which may be doing what the server cannot see. */
  get waitsForTimeLimit(): boolean {
    return this.#jump?.isTimeLimit() === true && this.#live().every(({ kind }) => kind === 't')
  }

  take(step: Step): void {
    this.#taken.push({ key: step.key, text: step.describe() })
    for (const other of this.#live()) {
      if (other !== step && !NEVER_OVERDUE.includes(other.kind)) other.passedOver++
    }
    this.#open(step)
  }

  /** What happened so far, as keys one after the other. */
  get seed(): string {
    return this.#taken.map(({ key }) => key).join('')
  }

  /** What happened so far, in words. */
  get order(): string {
    const texts = this.#taken.map(({ text }) => text)
    // A poll and its response are one step when no other step came between them.
    const isMerged = (text: string, index: number) => texts[index + 1]?.startsWith(`${text}: `) === true
    return texts.filter((text, index) => text !== '' && !isMerged(text, index)).join(', then ') || 'nothing'
  }

  /** Holds nothing back any more. */
  close(): void {
    this.#isOver = true
    for (const step of this.#pending) this.#open(step)
  }

  async request(request: IncomingRequest): Promise<void> {
    const call = jobOfPath(request)
    if (call === undefined) return
    const kind = call.isCancel ? 'c' : 'p'
    await this.#hold(kind, call.jobId, {
      signal: request.signal,
      describe: (ofJob) => (call.isCancel ? `cancel${ofJob}` : `poll${ofJob}`),
    })
  }

  async response(request: IncomingRequest, response: ReplyOrFault): Promise<void> {
    const call = jobOfPath(request)
    const { signal } = request
    const seen = seenStatus(response)
    if (call !== undefined) {
      // Only the first poll of a job can see it in the queue.
      if (!call.isCancel) this.#take('s', call.jobId)
      const describe = (ofJob: string) =>
        call.isCancel ? `cancel${ofJob}: ${response.status ?? response.fault}` : `poll${ofJob}: ${seen.status}`
      await this.#hold(call.isCancel ? 'x' : 'q', call.jobId, { signal, describe })
    } else if (seen.jobId !== undefined && response.status !== undefined) {
      this.#unseenResponses.set(seen.jobId, response.status)
      await this.#hold('a', seen.jobId, { signal, describe: (ofJob) => `the ${response.status}${ofJob}` })
      this.#unseenResponses.delete(seen.jobId)
    }
  }

  async delivery(job: Job): Promise<void> {
    const describe = (ofJob: string) => {
      const status = this.#unseenResponses.get(job.id)
      return `delivery${ofJob}${status === undefined ? '' : ` before the ${status}`}`
    }
    await this.#hold('d', job.id, { describe })
  }

  async jump(jump: Jump): Promise<void> {
    this.#jump = jump
    await this.#hold('t', undefined, { isLive: () => this.#mayJump(jump), describe: () => '' })
  }

  holdsEnd(script: { result: string; after_ms?: unknown; after_polls?: unknown } | undefined): boolean {
    if (this.#isOver) return false
    return (
      script === undefined ||
      (script.result !== 'hang' && script.after_ms === undefined && script.after_polls === undefined)
    )
  }

  start(job: Job, start: () => void): void {
    const isPolled = () => [...this.#pending].some(({ kind, jobId }) => kind === 'p' && jobId === job.id)
    const isLive = () => job.end === undefined && isPolled()
    void this.#hold('s', job.id, { isLive, describe: (ofJob) => `${nameOf(ofJob)} starts` }).then(start)
  }

  end(job: Job, end: () => void): void {
    const { status } = job.plan
    let hangs = false
    const isLive = () => job.end === undefined && !hangs
    const describe = (ofJob: string) => `${nameOf(ofJob)} ${status === 'succeeded' ? 'succeeds' : 'fails'}`
    void this.#hold('e', job.id, { isLive, describe }).then(() => {
      if (!this.#isOver) end()
    })
    if (!this.#options.jobsMayHang) return
    // It makes no difference when it is decided, so only once: before the end could have happened.
    const isFirst = () => isLive() && [...this.#pending].every((step) => step.jobId !== job.id || step.passedOver === 0)
    void this.#hold('h', job.id, { isLive: isFirst, describe: (ofJob) => `${nameOf(ofJob)} never ends` }).then(() => {
      hangs = true
    })
  }

  /** Time is paused for requests and responses on their way, and a time limit comes only when nothing else does. */
  #mayJump(jump: Jump): boolean {
    const others = [...this.#pending].filter((step) => step.kind !== 't' && step.isLive())
    if (!jump.isPending() || others.some(({ kind }) => !EVENTS_OF_SERVICE.includes(kind))) return false
    return others.length === 0 || !jump.isTimeLimit()
  }

  #live(): Step[] {
    return [...this.#pending].filter((step) => step.isLive())
  }

  #take(kind: StepKind, jobId: string): void {
    for (const step of this.#pending) if (step.kind === kind && step.jobId === jobId) this.#open(step)
  }

  #hold(
    kind: StepKind,
    jobId: string | undefined,
    { signal, isLive = () => true, describe }: HoldOptions,
  ): Promise<void> {
    if (this.#isOver || signal?.aborted) return Promise.resolve()
    const number = jobId === undefined ? 1 : this.#numberOf(jobId)
    return new Promise((resolve) => {
      const step: Step = {
        kind,
        jobId,
        key: number === 1 ? kind : `${kind}${number}`,
        describe: () => describe(number === 1 ? '' : ` of job ${number}`),
        isLive,
        passedOver: 0,
        open: resolve,
      }
      this.#pending.add(step)
      // The client has gone.
      signal?.addEventListener('abort', () => this.#open(step), { once: true })
      this.#activity.touch()
    })
  }

  #open(step: Step): void {
    this.#pending.delete(step)
    step.open()
    this.#activity.touch()
  }

  #numberOf(jobId: string): number {
    const number = this.#numbers.get(jobId) ?? this.#numbers.size + 1
    this.#numbers.set(jobId, number)
    return number
  }
}

/** They need no client, so time may pass before them. */
const EVENTS_OF_SERVICE: readonly StepKind[] = ['e', 'h', 'd']

/** Time passes when nothing else happens; a job that was not polled needs not start; a decision to hang is no event. */
const NEVER_OVERDUE: readonly StepKind[] = ['t', 's', 'h']

function nameOf(ofJob: string): string {
  return ofJob === '' ? 'the job' : ofJob.replace(' of ', '')
}

interface HoldOptions {
  signal?: AbortSignal
  isLive?: () => boolean
  /** In words; "of job 2" is for the second job and later ones. */
  describe: (ofJob: string) => string
}
