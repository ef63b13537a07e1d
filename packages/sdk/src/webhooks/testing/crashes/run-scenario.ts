import { isPermanentError } from '../../inbox-errors.ts'
import type { DeliveryContext } from '../../inbox-options.ts'
import { parseWebhook } from '../../parse-webhook.ts'
import { eventKey } from '../../stored-records.ts'
import type { WebhookEvent } from '../../webhook-event.ts'
import type { DeliveryBody } from '../event-fixtures.ts'
import type { Fault, Scenario } from './crash-scenario.ts'
import type { CrashHandlers, CrashSetup } from './crash-setup.ts'
import { type CrashLog, createProcessTools } from './process-tools.ts'

/** The delivery to simulate. */
export interface Simulation {
  createSetup: () => CrashSetup | Promise<CrashSetup>
  event: DeliveryBody
  context: unknown
}

/** Result of a scenario. */
export interface SimulationResult {
  log: CrashLog
  end: 'done' | 'dead'
  /** The effects at the end. */
  effects: unknown
  /** Whether the effects differ from those before the delivery. */
  isChanged: boolean
}

/** The default of `maxAttempts` of an inbox. */
const MAX_ATTEMPTS = 8

export async function runScenario(
  { createSetup, event, context }: Simulation,
  { fault }: Scenario,
): Promise<SimulationResult> {
  const setup = await createSetup()
  const before = effectsText(await setup.effects())
  const log: CrashLog = { started: [], happened: {}, errors: [], marks: new Set() }
  const job: SimulatedJob = {
    setup: setup,
    log,
    event: await parseWebhook(JSON.stringify(event)),
    context,
    runs: 0,
    fails: 0,
  }
  const end = await simulation(job, fault)
  const effects = await setup.effects()
  return { log, end, effects, isChanged: effectsText(effects) !== before }
}

/** A job, and how often its handler has run and failed. */
interface SimulatedJob extends Pick<Simulation, 'context'> {
  setup: CrashSetup
  log: CrashLog
  event: WebhookEvent
  runs: number
  fails: number
}

/**
 * The first process runs the handler. When it dies or stalls, another process runs the handler to its end, as in an inbox after
 * the end of a lock. A process whose step only fails continues itself, with the variables of its handler.
 */
async function simulation(job: SimulatedJob, fault: Fault | undefined): Promise<SimulationResult['end']> {
  const first = openProcess(job, fault)
  const run = first.run()
  const ended = await Promise.race([run, first.isInterrupted])
  if (ended !== 'interrupted') return await finish(job, first, ended)
  const end = await finish(job, openProcess(job), 'failed')
  if (fault?.kind === 'stalls') {
    first.wake()
    await run
  }
  return end
}

type RunEnd = 'done' | 'failed' | 'dead'

async function finish(job: SimulatedJob, process: SimulatedProcess, ended: RunEnd): Promise<SimulationResult['end']> {
  let end = ended
  while (end === 'failed') end = job.fails < MAX_ATTEMPTS ? await process.run() : 'dead'
  return end
}

/** A process that runs the handler, and may die or stall. */
interface SimulatedProcess {
  /** Runs the handler once. */
  run(): Promise<RunEnd>
  /** Resolves when the process has died or stalls. */
  isInterrupted: Promise<'interrupted'>
  /** Ends a stall. The signal of the handler has aborted. */
  wake(): void
}

function openProcess(job: SimulatedJob, fault?: Fault): SimulatedProcess {
  const { setup, log } = job
  const controller = new AbortController()
  let markInterrupted = (_: 'interrupted') => {}
  const isInterrupted = new Promise<'interrupted'>((resolve) => {
    markInterrupted = resolve
  })
  let wake = () => {}
  const isAwake = new Promise<void>((resolve) => {
    wake = resolve
  })
  let isNext = true
  const interrupt = async (at: Fault['at'], moment: Fault['moment']) => {
    if (!isNext || fault?.at !== at || fault.moment !== moment) return
    isNext = false
    if (fault.kind === 'fails') throw new Error('The simulation lets this fail.')
    markInterrupted('interrupted')
    await (fault.kind === 'dies' ? new Promise(() => {}) : isAwake)
  }
  const handlers = setup.handlers(createProcessTools(interrupt, log))
  return {
    isInterrupted: isInterrupted,
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
      await interrupt('done', 'before')
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

/** Converts effects to text for comparison: members of objects, maps and sets are sorted. */
export function effectsText(effects: unknown): string {
  // JSON.stringify returns undefined for undefined and functions, although its type says string.
  const text = JSON.stringify(effects, (_, value) => toPlain(value)) as string | undefined
  return text ?? 'undefined'
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Map || value instanceof Set) return inOrder([...value])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(inOrder(Object.entries(value)))
}

function inOrder<T>(members: T[]): T[] {
  return members
    .map((member) => ({ member, text: effectsText(member) }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text !== b.text)))
    .map(({ member }) => member)
}
