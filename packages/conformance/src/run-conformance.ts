import type { Check } from './check.ts'
import { createExchangeLog, type ExchangeLog } from './exchange.ts'
import { type Finding, fail } from './finding.ts'
import { createCaller, createDownloader } from './http/caller.ts'
import { sendingAgain } from './http/sent-again.ts'
import { ALL_CHECKS, AREAS, areaOf } from './judges/all-checks.ts'
import { owedBy } from './judges/charges.ts'
import { type World, worldOf } from './judges/world.ts'
import { CannotStartError, type ConformanceOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { costOf, scenariosOf } from './plan/plan.ts'
import { chooseTargets } from './plan/targets.ts'
import { probeService } from './probe.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { type CheckResult, type ConformanceReport, profileOf } from './report.ts'
import { requirementsOf } from './requirements.ts'
import { ALL_SCENARIOS } from './scenarios/all-scenarios.ts'
import { readWholeList } from './scenarios/reads.ts'
import { almostKeys } from './session/keys.ts'
import { Session } from './session/session.ts'
import { createWebhookEndpoints } from './webhooks/webhook-endpoints.ts'

/**
 * Checks a service against the specification, statement by statement, over plain HTTP.
 *
 * Sends nothing but GET requests unless `allowRuns` is set, and starts nothing when the plan could cost more than
 * `maxCredits`. Requests are sent one after the other. None is sent twice, except one that was rejected with 429, which
 * did nothing: it is sent again after `Retry-After`. So is a read that failed. The first request, which reads a list of one model, shows whether the
 * service is there and takes the key; otherwise nothing is judged.
 *
 * @throws ConfigurationError when an option is wrong; CannotStartError when nothing serves the API at `baseUrl`, the key is rejected, the budget
 *   is too small, or no model can be chosen
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const resolved = resolveOptions(options)
  const checks = selectChecks(resolved.only)
  const startedAt = resolved.clock.now()
  const keys = [resolved.apiKey, ...Object.values(resolved.keys), ...almostKeys(resolved.apiKey)]
  const redactor = createRedactor(keys.filter((key) => key !== undefined))
  const log = createExchangeLog(resolved.clock, redactor)
  const session = createSession(resolved, log)
  const { scenarios, planned } = await prepare(session, checks, redactor)
  for (const scenario of scenarios) {
    resolved.onProgress(scenario.name)
    await session.perform(scenario)
  }
  if (session.credits.before !== undefined) session.credits.after = await session.settledBalance()
  const world = worldOf(session)
  const results = checks.map((check) => resultOf(check, findingOf(check, world), redactor))
  const summary = { pass: 0, fail: 0, observed: 0, skipped: 0 }
  for (const { verdict } of results) summary[verdict] += 1
  const { ended, open } = owedBy(world)
  return {
    baseUrl: resolved.baseUrl,
    durationMs: resolved.clock.now() - startedAt,
    summary,
    credits: { planned, spent: ended + open },
    results,
    profile: profileOf(results),
    exchanges: log.exchanges,
  }
}

function selectChecks(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return ALL_CHECKS
  const namesOf = (check: Check) => [check.id, areaOf(check), ...requirementsOf(check.id).map(({ id }) => id)]
  const unknown = only.find((name) => !ALL_CHECKS.some((check) => namesOf(check).includes(name)))
  if (unknown !== undefined)
    throw new CannotStartError(`There is no check, requirement or area ${unknown}. The areas are: ${AREAS.join(', ')}.`)
  return ALL_CHECKS.filter((check) => namesOf(check).some((name) => only.includes(name)))
}

/** For one response, including the hold of a synchronous run (about 55 s). */
const REQUEST_MS = 90_000

function createSession(options: ResolvedOptions, log: ExchangeLog): Session {
  const { baseUrl, fetch, clock, receiver } = options
  const callerOptions = { baseUrl, fetch, log, requestTimeoutMs: REQUEST_MS }
  return new Session({
    options,
    send: sendingAgain(createCaller(callerOptions), clock),
    download: createDownloader(callerOptions),
    owed: (session) => owedBy(worldOf(session)),
    webhookEndpoints: receiver && createWebhookEndpoints(receiver, log),
  })
}

/** Reads what the plan is made from. Nothing is run before it is known to be within the limit. */
async function prepare(session: Session, checks: readonly Check[], redactor: Redactor) {
  const { options } = session
  await probeService(session)
  await session.perform({ name: 'all models', perform: readWholeList })
  const selected = scenariosOf(checks, options)
  const scenarios = ALL_SCENARIOS.filter((scenario) => selected.has(scenario))
  const isRunning = scenarios.some(({ writes }) => writes)
  const read = (path: string) => session.call({ path })
  if (isRunning)
    session.targets = await chooseTargets(options.models, session.models, read).catch((error: Error) => {
      // The message may show what the service sent.
      throw new CannotStartError(redactor.body(error.message))
    })
  const planned = costOf(scenarios, session.targets, options)
  if (isRunning) session.credits.before = await session.balance()
  return { scenarios, planned }
}

function findingOf(check: Check, world: World): Finding {
  try {
    return check.judge(world)
  } catch (error) {
    // What was paid for must not be lost with the report.
    return fail(`could not be judged: ${error instanceof Error ? error.message : error}`, [])
  }
}

function resultOf(check: Check, finding: Finding, redactor: Redactor): CheckResult {
  const { verdict, detail, observation, exchanges } = finding
  return {
    check: check.id,
    requirements: requirementsOf(check.id),
    verdict,
    detail: redactor.body(detail),
    observation: observation === undefined ? undefined : redactor.value(observation),
    exchanges: exchanges.map(({ id }) => id),
  }
}
