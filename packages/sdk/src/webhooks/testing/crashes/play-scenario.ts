import { isPermanentError } from '../../inbox-errors.ts'
import type { DeliveryContext } from '../../inbox-options.ts'
import { parseWebhook } from '../../parse-webhook.ts'
import { eventKey } from '../../record-key.ts'
import type { WebhookEvent } from '../../webhook-event.ts'
import type { DeliveryBody } from '../event-fixtures.ts'
import type { Fault, Scenario } from './crash-scenario.ts'
import type { CrashHandlers, CrashSetup } from './crash-world.ts'
import { effectsText } from './effects-text.ts'
import { type CrashLog, createProcessTools } from './process-tools.ts'

/** What is played. */
export interface Play {
  createSetup: () => CrashSetup | Promise<CrashSetup>
  event: DeliveryBody
  context: unknown
}

/** What came of a scenario. */
export interface Played {
  log: CrashLog
  end: 'done' | 'dead'
  /** In the end. */
  effects: unknown
  /** True when that is not what it was before the delivery. */
  isChanged: boolean
}

/** As many as an inbox gives a handler. */
const MAX_ATTEMPTS = 8

export async function playScenario({ createSetup, event, context }: Play, { fault }: Scenario): Promise<Played> {
  const world = await createSetup()
  const before = effectsText(await world.effects())
  const log: CrashLog = { begun: [], happened: {}, errors: [], marks: new Set() }
  const job: SimulatedJob = { world, log, event: await parseWebhook(JSON.stringify(event)), context, runs: 0, fails: 0 }
  const end = await play(job, fault)
  const effects = await world.effects()
  return { log, end, effects, isChanged: effectsText(effects) !== before }
}

/** A job, and how often its handler ran and failed. */
interface SimulatedJob extends Pick<Play, 'context'> {
  world: CrashSetup
  log: CrashLog
  event: WebhookEvent
  runs: number
  fails: number
}

/**
 * The first process runs the handler. Where it dies or stalls, another one runs the handler to its end, as an inbox does
 * when a lock has ended. A process that only fails goes on itself: it still has in memory what the handler left there.
 */
async function play(job: SimulatedJob, fault: Fault | undefined): Promise<Played['end']> {
  const first = openProcess(job, fault)
  const run = first.run()
  const ended = await Promise.race([run, first.isStruck])
  if (ended !== 'struck') return await finish(job, first, ended)
  const end = await finish(job, openProcess(job), 'failed')
  if (fault?.kind === 'stalls') {
    first.wake()
    await run
  }
  return end
}

type RunEnd = 'done' | 'failed' | 'dead'

async function finish(job: SimulatedJob, process: SimulatedProcess, ended: RunEnd): Promise<Played['end']> {
  let end = ended
  while (end === 'failed') end = job.fails < MAX_ATTEMPTS ? await process.run() : 'dead'
  return end
}

/** A process that runs the handler, and may die or stall. */
interface SimulatedProcess {
  /** Runs the handler once. */
  run(): Promise<RunEnd>
  /** Resolves when the process has died or stalls. */
  isStruck: Promise<'struck'>
  /** Ends a stall. The signal of the handler has aborted. */
  wake(): void
}

function openProcess(job: SimulatedJob, fault?: Fault): SimulatedProcess {
  const { world, log } = job
  const controller = new AbortController()
  let strike = (_: 'struck') => {}
  const isStruck = new Promise<'struck'>((resolve) => {
    strike = resolve
  })
  let wake = () => {}
  const isAwake = new Promise<void>((resolve) => {
    wake = resolve
  })
  let isNext = true
  const fate = async (at: Fault['at'], moment: Fault['moment']) => {
    if (!isNext || fault?.at !== at || fault.moment !== moment) return
    isNext = false
    if (fault.kind === 'fails') throw new Error('The simulation lets this fail.')
    strike('struck')
    await (fault.kind === 'dies' ? new Promise(() => {}) : isAwake)
  }
  const handlers = world.handlers(createProcessTools(fate, log))
  return {
    isStruck,
    wake: () => {
      controller.abort(new Error('The lock of the task is lost.'))
      wake()
    },
    run: async () => {
      try {
        await callHandler(handlers, job, controller.signal)
      } catch (error) {
        log.errors.push(error)
        job.fails += 1
        return isPermanentError(error) ? 'dead' : 'failed'
      }
      await fate('done', 'before')
      return 'done'
    },
  }
}

async function callHandler(handlers: CrashHandlers, job: SimulatedJob, signal: AbortSignal): Promise<void> {
  const { event } = job
  job.runs += 1
  const context: DeliveryContext = {
    attempt: job.runs,
    fence: job.runs,
    signal,
    idempotencyKey: eventKey(event),
    source: 'webhook',
    context: job.context,
  }
  if (event.status === 'succeeded') await handlers.onSucceeded?.(event, context)
  else if (event.status === 'failed') await handlers.onFailed?.(event, context)
  else await handlers.onUnknown?.(event, context)
}
