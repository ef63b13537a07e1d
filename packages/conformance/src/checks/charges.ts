import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError, type Finding, judge, observe } from '../judge/finding.ts'
import type { Charge } from '../session/balance.ts'
import { jobStatus } from '../session/jobs.ts'
import { cancelledLongAgo, cancelledProcessing, cancelledQueued, type MeasuredCancel } from './cancel-scenarios.ts'
import { asyncRun, defaultRun, failingJob, heldRun, type Run } from './runs.ts'
import { successWebhook } from './webhooks.ts'

/** The credits before a run and after its end. */
export interface RunCharge extends Charge {
  creditsPerRun: number
  responses: readonly ApiResponse[]
}

/** What a run was charged, once it has succeeded. Nothing is run for it: the credits were read around a run of another scenario. */
function chargeOf(
  id: string,
  scenario: Scenario<Run & { polled?: { last: ApiResponse } | undefined }>,
): Scenario<RunCharge> {
  return defineScenario(id, { uses: [scenario], credits: true }, async (session) => {
    const { response, charge, target, polled } = await session.evidence(scenario)
    const isDone = at(response.json, '/status') === 'completed' || (polled && jobStatus(polled.last) === 'succeeded')
    if (!isDone) throw new BlockedError('the run did not succeed', response)
    return { ...known(charge), creditsPerRun: target.creditsPerRun, responses: [response] }
  })
}

const chargeOfSucceeded = chargeOf('charge-of-succeeded', defaultRun)
const chargeOfAsync = chargeOf('charge-of-async', asyncRun)
const chargeOfHeld = chargeOf('charge-of-held', heldRun)
const chargeOfWebhook = chargeOf('charge-of-webhook', successWebhook)

const chargeOfFailed = defineScenario('charge-of-failed', { uses: [failingJob], credits: true }, async (session) => {
  const { response, charge, target } = await session.evidence(failingJob)
  return { ...known(charge), creditsPerRun: target.creditsPerRun, responses: [response] }
})

/** What a run was charged that was cancelled. */
function chargeOfCancel(id: string, scenario: Scenario<MeasuredCancel>): Scenario<RunCharge> {
  return defineScenario(id, { uses: [scenario], credits: true }, async (session) => {
    const { started, cancel, after, charge } = await session.evidence(scenario)
    const { creditsPerRun } = session.target('longest')
    return { ...known(charge), creditsPerRun, responses: [started, cancel, after.last] }
  })
}

export const chargeOfCancelledQueued = chargeOfCancel('charge-of-cancelled-queued', cancelledQueued)
export const chargeOfCancelledProcessing = chargeOfCancel('charge-of-cancelled-processing', cancelledProcessing)

/** What was charged for cancelled runs while they would have continued. */
export const chargeOfCancelledLater = defineScenario(
  'charge-of-cancelled-later',
  { uses: [cancelledLongAgo], credits: true },
  async (session) => {
    const { reads, charge } = await session.evidence(cancelledLongAgo)
    return { ...known(charge), creditsPerRun: session.target('longest').creditsPerRun, responses: reads }
  },
)

function known(charge: Charge | undefined): Charge {
  if (charge === undefined) throw new BlockedError('the credits left could not be read')
  return charge
}

/** What runs are charged (sections 1 and 2.1). */
export const CHARGES_CHECKS: readonly Check[] = [
  check('charges/succeeded', chargeOfSucceeded, isThePrice),
  check('charges/asynchronous', chargeOfAsync, isThePrice),
  check('charges/held', chargeOfHeld, isThePrice),
  check('charges/webhook', chargeOfWebhook, isThePrice),
  check('charges/failed', chargeOfFailed, ({ before, after, creditsPerRun, responses }) =>
    observe(shareOf(before - after, creditsPerRun), `${before - after} credits charged for a failed run`, responses),
  ),
]

function isThePrice({ before, after, creditsPerRun, responses }: RunCharge): Finding {
  const charged = before - after
  return judge(charged === creditsPerRun, `${charged} credits charged; the price is ${creditsPerRun}`, responses)
}

function shareOf(charged: number, price: number): 'none' | 'price' | number {
  if (charged === 0) return 'none'
  return charged === price ? 'price' : charged
}
