import { realNow, SharedTicker } from '../clock/real-time.ts'
import type { Job } from '../domain/job.ts'
import type { JournalRecord } from '../history/journal/journal-entry.ts'
import { redactText } from '../history/journal/redact.ts'
import type { Service } from '../service/service.ts'
import { shortEntry } from './activity.ts'
import { clockJson } from './clock.ts'
import { jobRow } from './job-row.ts'
import { keyJson } from './keys.ts'
import { get, SpecialReply } from './route.ts'
import type { ControlResponses } from './schemas.ts'

/** The route that streams what happens. */
export const EVENT_ROUTES = [get('readEvents', 'events', respondWithEvents)]

/** Milliseconds of real time between two events: all that happened meanwhile is in one event. */
const BATCH_MS = 100

/** Longest silence, in milliseconds of real time. A client may take a longer silence for a dead stream. */
const HEARTBEAT_MS = 15_000

/** Most entries in one event: the newest ones. All changed jobs are sent. */
const MAX_ENTRIES = 200

/** Most keys in one event, the oldest ones. */
const MAX_KEYS = 100

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>

/** Server-sent events, each with the jobs and the entries of the journal that are new. */
function respondWithEvents(service: Service): SpecialReply {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
  return new SpecialReply({ status: 200, headers, body: () => eventsOf(service) })
}

function eventsOf(service: Service): ReadableStream<Uint8Array<ArrayBuffer>> {
  let batches: Batches | undefined
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      // Starts with the first read.
      pull: (controller) => {
        batches ??= new Batches(service, controller)
      },
      cancel: () => batches?.stop(),
    },
    { highWaterMark: 0 },
  )
}

/** Collects what happens, and sends it ten times a second. */
class Batches {
  readonly #service: Service
  readonly #controller: Controller
  readonly #jobIds = new Set<string>()
  #entries: JournalRecord[] = []
  #isReset = false
  #lastState = ''
  #lastSentAt = Number.NEGATIVE_INFINITY
  readonly #ticker: SharedTicker<string>
  readonly #onRecord = (record: JournalRecord | undefined) => this.#note(record)
  readonly #onTick = (state: string) => this.#tick(state)

  constructor(service: Service, controller: Controller) {
    this.#service = service
    this.#controller = controller
    service.observer.journal.listeners.add(this.#onRecord)
    service.stateTicker ??= new SharedTicker(BATCH_MS, () => stateText(service))
    this.#ticker = service.stateTicker
    this.#ticker.add(this.#onTick)
  }

  stop(): void {
    this.#ticker.remove(this.#onTick)
    this.#service.observer.journal.listeners.delete(this.#onRecord)
  }

  #note(record: JournalRecord | undefined): void {
    if (record === undefined) {
      this.#isReset = true
      this.#jobIds.clear()
      this.#entries = []
      return
    }
    const { entry } = record
    if (entry.kind !== 'note' && entry.job_id !== undefined) this.#jobIds.add(entry.job_id)
    this.#entries.push(record)
    if (this.#entries.length > 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES)
  }

  #tick(state: string): void {
    if (this.#service.isClosed) {
      this.stop()
      this.#controller.close()
      return
    }
    // A reader that is slower than the events gets fewer and larger ones.
    if ((this.#controller.desiredSize ?? 0) < 0) return
    const isNew = this.#isReset || this.#entries.length > 0 || state !== this.#lastState
    if (isNew) this.#send(`event: changes\ndata: ${JSON.stringify({ ...this.#changes(), ...JSON.parse(state) })}\n\n`)
    else if (realNow() - this.#lastSentAt > HEARTBEAT_MS) this.#send(': still here\n\n')
    this.#lastState = state
  }

  #send(text: string): void {
    this.#lastSentAt = realNow()
    this.#controller.enqueue(new TextEncoder().encode(text))
  }

  #changes(): Omit<ControlResponses['Changes'], keyof State> {
    const { jobs, clock } = this.#service
    const now = clock.now()
    const found = [...this.#jobIds].map((id) => jobs.find(id)).filter((job): job is Job => job !== undefined)
    const changes = {
      now_ms: now,
      reset: this.#isReset,
      jobs: found.map((job) => jobRow(job, now)),
      entries: this.#entries.slice(-MAX_ENTRIES).map(shortEntry),
    }
    this.#jobIds.clear()
    this.#entries = []
    this.#isReset = false
    return changes
  }
}

type State = Pick<ControlResponses['Changes'], 'clock' | 'keys' | 'pending'>

/** State that is not in any entry of the journal, as JSON, so that readers can compare it. */
function stateText({ jobs, clock, dispatcher, keys, faults }: Service): string {
  jobs.settle() // jobs without a waiting request have no timer that ends them
  const { now_ms, ...speed } = clockJson(clock)
  const state: State = {
    clock: clock.speed === undefined ? { ...speed, now_ms } : speed,
    keys: keys
      .all()
      .slice(0, MAX_KEYS)
      .map((key) => ({
        ...keyJson(key),
        faults: faults.of(key.account).list(),
        webhook: key.account.webhook,
      })),
    pending: dispatcher.pendingDeliveries().map(({ job, webhook, body, sent, dueAt, isHeld }) => ({
      job_id: job.id,
      url: redactText(webhook.url),
      status: body.status,
      sent,
      deliveries: webhook.deliveries ?? 1,
      due_at_ms: dueAt,
      held: isHeld,
    })),
  }
  return JSON.stringify(state)
}
