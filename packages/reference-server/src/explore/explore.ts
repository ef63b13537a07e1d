import {
  atLeastOne,
  type Checks,
  checkEach,
  flag,
  integer,
  isRecord,
  must,
  needs,
  notNegative,
  readOptions,
} from '@modelrun/kit'
import { realNow, shortMoment } from '../clock/real-time.ts'
import { type ReferenceServerOptions, resolveOptions } from '../options.ts'
import { type ReferenceServer, serverOf } from '../reference-server.ts'
import { Service } from '../service/service.ts'
import { type Choices, ChoiceTree, followSeed } from './choices.ts'
import { Scheduler } from './scheduler.ts'
import { isSeed, keysOf } from './step.ts'

/** A test failed in one order of events. `cause` is what it rejected with. */
export class ExplorationError extends Error {
  override readonly name = 'ExplorationError'
  /** How many orders had been tried, this one included. */
  readonly run: number
  /** Replays the order: `explore(test, { seed })`. Empty when the test fails before the first step, so in every order. */
  readonly seed: string
  /** What happened, in words. */
  readonly order: string

  constructor(cause: unknown, { run, seed, order }: { run: number; seed: string; order: string }) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const where =
      seed === ''
        ? 'The test fails before its first step, so in every order.'
        : `The test fails in this order (the ${run}. that was tried): ${order}.\n` +
          `Replay it with explore(test, { seed: '${seed}' }).`
    super(`${where}\n${reason}`, { cause })
    this.run = run
    this.seed = seed
    this.order = order
  }
}

/** How to explore. */
export interface ExploreOptions {
  /** How many orders are tried at most. Default 200. */
  maxRuns?: number | undefined
  /** Tries one order alone: the seed that a failure has named. */
  seed?: string | undefined
  /** An integer that decides which orders are tried when there are more than `maxRuns`. Default 1. */
  shuffle?: number | undefined
  /**
   * How many other steps an event can wait for, from 1. Default 8. A client that gives up after twenty polls needs more, or
   * `jobsMayHang`.
   */
  maxDelay?: number | undefined
  /** Whether a job that never ends within the test is an order, too. Default `false`: such a test waits until its own time limit. */
  jobsMayHang?: boolean | undefined
  /** Options of the servers. Their time is always the exploration's own. */
  server?: Omit<ReferenceServerOptions, 'clock'> | undefined
  /**
   * Real time in which nothing may happen before the next step is chosen, in milliseconds. Default 0. More is for tests
   * that do something which the server cannot see, such as writing a file.
   */
  settleMs?: number | undefined
  /** Real time after which a test that makes no step has failed, in milliseconds. Default 2 000. */
  timeoutMs?: number | undefined
}

/** The result of an exploration. */
export interface Exploration {
  /** How many orders were tried. */
  readonly runs: number
  /** Whether every order was tried, with every delay of every event. */
  readonly isComplete: boolean
  /**
   * What was not tried, when it is not complete: more orders than `maxRuns`, delays of an event that are longer than
   * `maxDelay` steps (always so for a client that polls until the job ends), or all but the one of the seed.
   */
  readonly limit?: 'maxRuns' | 'maxDelay' | 'seed' | undefined
}

const DEFAULT_MAX_RUNS = 200
const DEFAULT_TIMEOUT_MS = 2_000

/**
 * Runs a test in every order in which its polls, cancels, responses and webhook deliveries and the ends of its jobs can
 * happen, each time with a server of its own. Time is virtual; whatever waits on the server's clock waits for no real
 * time. Jobs end when the exploration says so, unless a script gives them a time (`after_ms`, `after_polls`).
 *
 * @example
 * await explore(async (server) => {
 *   const client = new ModelRun(server.clientOptions())
 *   const inbox = createInbox({ client })
 *   server.webhooks.deliver((request) => inbox.handle(request))
 *   const job = await client.submit('aurora-image', { prompt: 'a red fox' }, { webhookUrl: 'https://app.test/hook' })
 *   await Promise.all([inbox.waitFor(job.id), job.result()])
 * })
 *
 * @throws ConfigurationError that says which option is wrong, and what is allowed
 * @throws ExplorationError for the first order in which the test rejects: with the order, and a seed that replays it
 */
export async function explore(test: ExploredTest, given: ExploreOptions = {}): Promise<Exploration> {
  checkEach(
    'explore',
    { test },
    { test: needs('a function, as in explore(async (server) => { … })', (value) => typeof value === 'function') },
  )
  const options = readOptions('explore', given, OPTIONS)
  const { maxRuns = DEFAULT_MAX_RUNS, seed, shuffle = 1 } = options
  if (seed !== undefined) {
    await runOnce(test, followSeed(keysOf(seed)), { ...options, run: 1 })
    return { runs: 1, isComplete: false, limit: 'seed' }
  }
  const tree = new ChoiceTree(shuffle)
  let runs = 0
  let wasBounded = false
  while (runs < maxRuns && !tree.isDone) {
    const choices = tree.start()
    const order = await runOnce(test, choices, { ...options, run: ++runs })
    wasBounded ||= order.wasBounded
    choices.end()
  }
  const limit = tree.isDone ? (wasBounded ? 'maxDelay' : undefined) : 'maxRuns'
  return { runs, isComplete: limit === undefined, limit }
}

async function runOnce(
  test: ExploredTest,
  choices: Choices,
  options: ExploreOptions & { run: number },
): Promise<{ wasBounded: boolean }> {
  const { settleMs = 0, timeoutMs = DEFAULT_TIMEOUT_MS, maxDelay = 8, jobsMayHang = false, run } = options
  let scheduler: Scheduler | undefined
  // The exploration decides when a job leaves the queue.
  const assumptions = { queuedMs: 0, ...options.server?.assumptions }
  const service = new Service(resolveOptions({ ...options.server, assumptions, clock: 'auto' }), (activity) => {
    scheduler = new Scheduler(activity, { maxDelay, jobsMayHang })
    return scheduler
  })
  if (scheduler === undefined) throw new Error('A service creates its breakpoints when it is created.')
  const server = serverOf(service)
  try {
    await runOrder(test, { server, activity: service.activity, scheduler, choices, settleMs, timeoutMs })
    return scheduler
  } catch (error) {
    throw new ExplorationError(error, { run, seed: scheduler.seed, order: scheduler.order })
  } finally {
    scheduler.close()
    await server.close()
  }
}

const OPTIONS = /* @__PURE__ */ ((): Checks<ExploreOptions> => ({
  maxRuns: atLeastOne,
  seed: must("the seed that a failure has named, such as 'eda'", isSeed),
  shuffle: integer,
  maxDelay: atLeastOne,
  jobsMayHang: flag,
  // Its members are checked when the first server is made.
  server: must('the options of a server', isRecord),
  settleMs: notNegative,
  timeoutMs: notNegative,
}))()

/** A test that is run in many orders; it fails by rejecting. */
type ExploredTest = (server: ReferenceServer) => unknown

interface OrderOptions {
  server: ReferenceServer
  activity: Service['activity']
  scheduler: Scheduler
  choices: Choices
  /** Real time in which nothing may happen before the next step. */
  settleMs: number
  /** Real time after which a test that makes no step has failed. */
  timeoutMs: number
}

/** How long a step that is known to come is waited for. */
const LATE_MS = 250

/** The end of a request of a client may be work that takes real time, such as loading a module. */
const PATIENCE_MS = 250

/** Runs a test once, one step after the other. Rejects when the test does, or comes to a stop. */
async function runOrder(test: ExploredTest, options: OrderOptions): Promise<void> {
  const { scheduler, activity, server, settleMs } = options
  let isOver = false
  const ended = Promise.resolve()
    .then(() => test(server))
    .finally(() => {
      isOver = true
      activity.touch()
    })
  ended.catch(() => {}) // its rejection is handled below, after the loop
  let lastStepAt = realNow()
  while (!isOver) {
    await activity.quiet(() => (scheduler.waitsForTimeLimit ? PATIENCE_MS : settleMs))
    if (isOver) break
    if (takeStep(options, realNow() - lastStepAt)) lastStepAt = realNow()
    else await shortMoment()
  }
  await ended
}

/** Returns whether there was a step to take. */
function takeStep({ scheduler, choices, timeoutMs }: OrderOptions, waitedMs: number): boolean {
  const steps = scheduler.options()
  const keys = steps.map(({ key }) => key)
  const isMissing = choices.expected().some((key) => !keys.includes(key))
  if (isMissing && waitedMs < LATE_MS) return false
  if (steps.length === 0) {
    if (waitedMs < timeoutMs) return false
    throw new Error(
      `The test made no step for ${timeoutMs} ms of real time, and neither the server nor its clock has anything left to do. ` +
        'It waits for something that does not come in this order.',
    )
  }
  const key = choices.choose(keys)
  const step = steps.find((one) => one.key === key)
  if (step !== undefined) scheduler.take(step)
  return true
}
