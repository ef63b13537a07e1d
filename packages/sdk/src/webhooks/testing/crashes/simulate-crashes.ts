import { type DeliveryBody, succeededEvent } from '../event-fixtures.ts'
import { listScenarios, type Scenario, UNDISTURBED } from './crash-scenario.ts'
import type { CrashSetup } from './crash-setup.ts'
import { effectsText, runScenario, type Simulation, type SimulationResult } from './run-scenario.ts'

/** Options of `simulateCrashes`. */
export interface CrashOptions {
  /** The event to deliver. Default: `succeededEvent()`. */
  event?: DeliveryBody | undefined
  /** JSON that the handler gets as `context.context`. */
  context?: unknown
}

/** Result of one scenario. */
export interface CrashScenario {
  /** The fault, in words. */
  name: string
  /** Whether the effects and the end are the same as in an undisturbed run. */
  isSafe: boolean
  /** `dead`: the handler failed until it was given up. */
  end: 'done' | 'dead'
  /** The effects, from `effects()` of the setup. */
  effects: unknown
  /** How often each step happened. */
  steps: Record<string, number>
  /** The last error of the handler. */
  error?: unknown
}

/** Result of `simulateCrashes`. */
export interface CrashReport {
  /** Whether the effects are the same as in an undisturbed run in each scenario. */
  isSafe: boolean
  /** The effects of an undisturbed run. */
  wanted: unknown
  /** One result for each fault at each step. */
  scenarios: CrashScenario[]
  /** The result in words, for the message of an assertion. */
  summary: string
}

/**
 * Checks whether a handler may run again, as it does after its process died (at-least-once). Runs the handler for one event many
 * times, each time with a new setup and another fault: before or after each step the process dies, or stalls until another
 * process has the job, or the step fails. The handler then runs again, up to 8 times, and the effects are compared with those
 * of an undisturbed run.
 *
 * @throws Error when the handler has no step, or when its effects change nothing: then there is nothing to compare
 *
 * @example
 * const report = await simulateCrashes(() => {
 *   const mails: string[] = []
 *   return {
 *     handlers: ({ step }) => ({ onSucceeded: (event) => step('send', () => mails.push(event.job_id)) }),
 *     effects: () => mails,
 *   }
 * })
 * assert.ok(report.isSafe, report.summary) // fails: a mail is sent twice
 */
export async function simulateCrashes(
  createSetup: () => CrashSetup | Promise<CrashSetup>,
  { event = succeededEvent(), context }: CrashOptions = {},
): Promise<CrashReport> {
  const simulation: Simulation = { createSetup, event, context }
  const undisturbed = await runScenario(simulation, UNDISTURBED)
  checkUndisturbed(undisturbed)
  const scenarios: CrashScenario[] = []
  for (const scenario of listScenarios(undisturbed.log.started)) {
    scenarios.push(compare(scenario, await runScenario(simulation, scenario), undisturbed))
  }
  const isSafe = scenarios.every((scenario) => scenario.isSafe)
  const wanted = undisturbed.effects
  return { isSafe, wanted, scenarios, summary: summarize(scenarios, wanted) }
}

function compare(
  { name }: Scenario,
  { end, effects, log }: SimulationResult,
  undisturbed: SimulationResult,
): CrashScenario {
  const isSafe = end === undisturbed.end && effectsText(effects) === effectsText(undisturbed.effects)
  const { happened, errors } = log
  const error = errors.length > 0 ? { error: errors.at(-1) } : {}
  return { name, isSafe, end, effects, steps: happened, ...error }
}

/** Without steps or effects every handler would count as safe. */
function checkUndisturbed({ log, isChanged }: SimulationResult): void {
  const thrown = log.errors.length > 0 ? ` The handler threw: ${log.errors.at(-1)}` : ''
  if (log.started.length === 0) {
    throw new Error(`The handler makes no step: wrap what it does outside in \`step(name, () => …)\`.${thrown}`)
  }
  if (!isChanged) {
    throw new Error(`\`effects()\` is the same before and after an undisturbed run: let it show what changed.${thrown}`)
  }
}

function summarize(scenarios: readonly CrashScenario[], wanted: unknown): string {
  const unsafe = scenarios.filter(({ isSafe }) => !isSafe)
  const total = `of ${scenarios.length} scenarios`
  if (unsafe.length === 0) return `The effects are the same in each ${total}: ${effectsText(wanted)}.`
  const lines = unsafe.map(({ name, effects, steps, end, error }) => {
    const counts = Object.entries(steps).map(([step, count]) => `${step} ×${count}`)
    const dead = end === 'dead' ? `; the handler was given up: ${error}` : ''
    return `- ${name}: ${effectsText(effects)} (${counts.join(', ')}${dead})`
  })
  return `${unsafe.length} ${total} do not leave ${effectsText(wanted)}, as an undisturbed run does:\n${lines.join('\n')}`
}
