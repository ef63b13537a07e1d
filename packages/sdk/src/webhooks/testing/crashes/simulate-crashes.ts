import { type DeliveryBody, succeededEvent } from '../event-fixtures.ts'
import { listScenarios, type Scenario, UNDISTURBED } from './crash-scenario.ts'
import type { CrashSetup } from './crash-world.ts'
import { effectsText } from './effects-text.ts'
import { type Play, type Played, playScenario } from './play-scenario.ts'

/** Options of `simulateCrashes`. */
export interface CrashOptions {
  /** What is delivered. Default: `succeededEvent()`. */
  event?: DeliveryBody | undefined
  /** What the handler gets as `context.context`. */
  context?: unknown
}

/** What one way of a delivery led to. */
export interface CrashScenario {
  /** What went wrong. */
  name: string
  /** True when the effects, and the end, are those of an undisturbed run. */
  isSafe: boolean
  /** `dead`: the handler failed until it was given up. */
  end: 'done' | 'dead'
  /** What the handlers left behind, as `effects` of the options reads it. */
  effects: unknown
  /** How often each step happened. */
  steps: Record<string, number>
  /** What the handler threw last. */
  error?: unknown
}

/** What crashes do to a handler. */
export interface CrashReport {
  /** True when the effects are those of an undisturbed run, whatever went wrong. */
  isSafe: boolean
  /** The effects of an undisturbed run. */
  wanted: unknown
  /** One for each place at which something went wrong. */
  scenarios: CrashScenario[]
  /** All of this in words, for the message of an assertion. */
  summary: string
}

/**
 * Shows whether a handler may be run again: an inbox does so when a process died in the middle (at-least-once). Runs the
 * handler for one event many times, each time in a new world. Each time something else goes wrong: before or after each
 * step the process dies, or stalls until another one has the job, or the step fails. The handler then runs again, up to
 * 8 times, and the effects are compared with those of an undisturbed run.
 *
 * @throws Error when the handler makes no step, or its effects do not show: there would be nothing to find
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
  const play: Play = { createSetup: createSetup, event, context }
  const undisturbed = await playScenario(play, UNDISTURBED)
  checkUndisturbed(undisturbed)
  const scenarios: CrashScenario[] = []
  for (const scenario of listScenarios(undisturbed.log.begun)) {
    scenarios.push(compare(scenario, await playScenario(play, scenario), undisturbed))
  }
  const isSafe = scenarios.every((scenario) => scenario.isSafe)
  const wanted = undisturbed.effects
  return { isSafe, wanted, scenarios, summary: summarize(scenarios, wanted) }
}

function compare({ name }: Scenario, { end, effects, log }: Played, undisturbed: Played): CrashScenario {
  const isSafe = end === undisturbed.end && effectsText(effects) === effectsText(undisturbed.effects)
  const { happened, errors } = log
  const error = errors.length > 0 ? { error: errors.at(-1) } : {}
  return { name, isSafe, end, effects, steps: happened, ...error }
}

/** A simulation in which nothing can go wrong would find every handler safe. */
function checkUndisturbed({ log, isChanged }: Played): void {
  const thrown = log.errors.length > 0 ? ` The handler threw: ${log.errors.at(-1)}` : ''
  if (log.begun.length === 0) {
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
