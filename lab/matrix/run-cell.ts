import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { createCountedClock } from '../../packages/integration-tests/src/counted-clock.ts'
import type { Network } from './acts.ts'
import { callBatch } from './call-batch.ts'
import { type CallContext, DEADLINE_MS, type Later } from './call-context.ts'
import { callMany, callRun, callSubmit } from './call-single.ts'
import type { Evidence, Outcome } from './evidence.ts'
import type { Lag } from './lag.ts'
import type { Call, Plugged, Plugin, Setting } from './plugin.ts'
import type { Cell, Service } from './service.ts'

/** One cell of the matrix. */
export interface CellPlan {
  network: Network
  plugin: Plugin
  call: Call
}

const TIMEOUT_MS = 400
/** A call may settle so much after its deadline or its abort. */
const SLACK_MS = 250
/** No call is waited for longer after its time is over. */
const PATIENCE_MS = 2_000
const API_KEY = 'sk_live_matrix_0123456789abcdef'

/** A call, and how long it may take without an abort, and after one. */
interface CallKind {
  start(context: CallContext): Promise<Later | undefined>
  limitMs: number
  afterAbortMs: number
}

const KINDS: Record<Call, CallKind> = {
  sync: { start: (context) => callRun(context, 'sync'), limitMs: DEADLINE_MS, afterAbortMs: 0 },
  async: { start: (context) => callRun(context, 'async'), limitMs: DEADLINE_MS, afterAbortMs: 0 },
  // `submit` has no deadline: three attempts, one that prepares, and a Retry-After of a second.
  submit: { start: callSubmit, limitMs: 4 * TIMEOUT_MS + 1_000 + DEADLINE_MS, afterAbortMs: 0 },
  many: { start: callMany, limitMs: DEADLINE_MS + 1_000, afterAbortMs: 0 },
  // A batch has none either, and waits for requests that run.
  batch: { start: callBatch, limitMs: 3_000, afterAbortMs: 1_000 },
}

/** Makes one call in one cell and collects what everybody saw. */
export async function runCell(service: Service, lag: Lag, plan: CellPlan): Promise<Evidence> {
  const cell = service.open(plan.network)
  const { clock, pending } = createCountedClock()
  const baseUrl = placeOf(service, plan.network) + cell.path
  const controller = new AbortController()
  let abortedAt: number | undefined
  const fault = (code?: string) => Object.assign(new Error(`A fault of the caller in ${cell.path}.`), code && { code })
  const base: ModelRunOptions = {
    apiKey: API_KEY,
    baseUrl,
    timeoutMs: TIMEOUT_MS,
    logLevel: 'off',
    random: () => 0,
    polling: { initialIntervalMs: 10, maxIntervalMs: 40, maxRequestsPerSecond: Number.POSITIVE_INFINITY },
  }
  const plainClient = () => new ModelRun({ ...base, baseUrl: service.url + cell.path })
  const setting: Setting = {
    cell,
    baseUrl,
    signal: controller.signal,
    abort: () => {
      abortedAt ??= performance.now()
      controller.abort(fault())
    },
    fault,
    plainClient,
  }
  const plugged = plan.plugin.plug(setting)
  const client = new ModelRun({ ...base, clock, ...plugged.client })
  const inputOf = (plugged.input ?? ((prompt: string) => ({ prompt }))) as CallContext['inputOf']
  const context = { client, plain: plainClient(), plugged, setting, cell, inputOf }
  const seen = { outcomes: [], rows: [], unreachable: [], loopErrors: [] as unknown[] }
  let later: Later | undefined

  const kind = KINDS[plan.call]
  const startedAt = performance.now()
  const call = kind.start({ ...context, ...seen }).then(
    (done) => {
      later = done
    },
    (error: unknown) => void seen.loopErrors.push(error ?? 'nothing'),
  )
  const isHung = await Promise.race([call.then(() => false), sleep(kind.limitMs + PATIENCE_MS, true)])
  const settledAt = performance.now()
  const limits = [startedAt + kind.limitMs, ...(abortedAt === undefined ? [] : [abortedAt + kind.afterAbortMs])]
  const lateMs = settledAt - Math.min(...limits) - SLACK_MS - 2 * lag.since(startedAt)
  // What is cancelled in the background may take its time; nothing else may.
  if (pending() > 0) await sleep(isCancelling(plugged) ? 1_000 : 100)
  const left = [
    ...(pending() > 0 ? [`${pending()} timers`] : []),
    ...(getEventListeners(controller.signal, 'abort').length > 0 ? ['listeners of the signal'] : []),
  ]
  await plugged.close?.()
  cell.heal()
  await later?.()
  await readAgain(context, seen)
  const [loopError] = seen.loopErrors
  return { ...plan, ...cell, ...seen, loopError, isHung, lateMs, settledAt, left: isHung ? [] : left }
}

const isCancelling = ({ run }: Plugged) => run?.onAbort === 'cancel' || run?.onDeadline === 'cancel'

function placeOf({ url, closedUrl }: Service, { place }: Network): string {
  if (place === 'closed port') return closedUrl
  return place === 'no TLS' ? url.replace('http:', 'https:') : url
}

/** Reads each job again whose id an error has, with another client, once everything works. */
async function readAgain(
  { cell, plain }: { cell: Cell; plain: ModelRun },
  seen: { outcomes: Outcome[]; unreachable: string[] },
) {
  for (const outcome of seen.outcomes) {
    const job = cell.jobs.find(({ id }) => id === outcome.jobId)
    if (outcome.status === 'fulfilled' || !job) continue
    await sleep(job.msLeft > 1_000 ? 0 : job.msLeft)
    if (!job.isCharged) continue
    const result = await plain.jobs
      .attach(job.id)
      .result({ deadlineMs: 2_000 })
      .catch((error: unknown) => String(error))
    const isIt = typeof result === 'object' && result.output.items[0]?.url === job.fileUrl
    if (!isIt) seen.unreachable.push(`${job.id}: ${typeof result === 'object' ? 'another result' : result}`)
  }
}
