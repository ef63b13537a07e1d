import { realNow, shortMoment } from '../clock/real-time.ts'
import type { ReferenceServer } from '../reference-server.ts'
import type { Service } from '../service/service.ts'
import type { Choices } from './choices.ts'
import type { Scheduler } from './scheduler.ts'

/** A test that is run in many orders; it fails by rejecting. */
export type ExploredTest = (server: ReferenceServer) => unknown

export interface OrderOptions {
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
export async function runOrder(test: ExploredTest, options: OrderOptions): Promise<void> {
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
