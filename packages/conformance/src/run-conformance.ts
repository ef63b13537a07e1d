import { closestName } from '@modelrun/kit'
import { profileOf } from './calibration.ts'
import type { Check, Scenario } from './check.ts'
import { createExchangeLog, type Exchange, type ExchangeLog } from './exchange.ts'
import { BlockedError, type Finding, fail, skip } from './finding.ts'
import { type ApiResponse, type Call, createCaller, createDownloader, NoResponseError } from './http/caller.ts'
import { type Recovered, readingAgain, TOO_MANY_REQUESTS, waitingWhenLimited } from './http/sent-again.ts'
import type { JsonValue } from './json.ts'
import { adviceOf } from './judges/advice.ts'
import { ALL_CHECKS, AREAS, areaOf } from './judges/all-checks.ts'
import { owedBy, priceSince } from './judges/entries.ts'
import { performEach } from './judges/judge-every.ts'
import { worldOf } from './judges/world.ts'
import { CannotStartError, type ConformanceOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { costOf, missingFor, scenariosOf, sendsRuns } from './plan/plan.ts'
import { chooseTargets, UnfitModelsError } from './plan/targets.ts'
import { probeService } from './probe.ts'
import { createRedactor, type Redactor } from './redact.ts'
import type { CheckResult, ConformanceReport, Summary } from './report.ts'
import { requirementsOf } from './requirements.ts'
import { confirmedRetries, endsOfJobs } from './scenarios/ends.ts'
import { crossedRuns, FIRST } from './scenarios/runs.ts'
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
  const keys = [resolved.apiKey, ...Object.values(resolved.keys), ...Object.values(almostKeys(resolved.apiKey))]
  const redactor = createRedactor(keys.filter((key) => key !== undefined))
  const log = createExchangeLog(resolved.clock, redactor)
  const { session, planned, unfit } = await prepare(resolved, checks, log)
  const results: CheckResult[] = []
  const add = async (check: Check) => {
    const result = resultOf(check, await findingOf(check, session), redactor)
    results.push(result)
    resolved.onResult(result)
  }
  const judges = checks.filter(({ isLast }) => isLast)
  for (const check of checks) if (!check.isLast) await add(check)
  await performEach(evidenceOf(judges), session)
  for (const check of judges) await add(check)
  const summary: Summary = { pass: 0, fail: 0, observed: 0, skipped: 0 }
  for (const { verdict } of results) summary[verdict] += 1
  // What is shown of the models is right: the choice is not.
  if (unfit[0] !== undefined && summary.fail === 0) throw unfit[0]
  const observations = Object.fromEntries(results.flatMap(namedIn))
  const { ended, open } = owedBy(worldOf(session))
  return {
    baseUrl: resolved.baseUrl,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: resolved.clock.now() - startedAt,
    summary,
    advice: [...unfit.map(({ message }) => message), ...adviceOf(session)],
    seed: resolved.seed,
    depth: resolved.depth,
    credits: { planned, limit: resolved.maxCredits, spent: ended + open },
    results,
    observations,
    ...profileOf(observations),
    exchanges: log.exchanges,
  }
}

/** What the judges of everything are about. What is run alone comes first, and what ends everything last. */
function evidenceOf(judges: readonly Check[]): Iterable<Scenario<unknown>> {
  const scenarios = new Set(judges.flatMap(({ scenario }) => scenario.mayUse ?? []))
  const taken = (some: readonly Scenario<unknown>[]) => some.filter((one) => scenarios.delete(one))
  const [first, last] = [taken(Object.values(FIRST)), taken([crossedRuns, endsOfJobs, confirmedRetries])]
  return [...first, ...scenarios, ...last]
}

function selectChecks(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return ALL_CHECKS
  const namesOf = (check: Check) => [check.id, areaOf(check), ...requirementsOf(check.id).map(({ id }) => id)]
  const unknown = only.find((name) => !ALL_CHECKS.some((check) => namesOf(check).includes(name)))
  if (unknown !== undefined) {
    const closest = closestName(unknown, [...AREAS, ...ALL_CHECKS.map(({ id }) => id)])
    const advice = closest === undefined ? `The areas are: ${AREAS.join(', ')}.` : `Did you mean ${closest}?`
    throw new CannotStartError(`There is no check, requirement or area ${unknown}. ${advice}`)
  }
  return ALL_CHECKS.filter((check) => namesOf(check).some((name) => only.includes(name)))
}

async function prepare(options: ResolvedOptions, checks: readonly Check[], log: ExchangeLog) {
  const { baseUrl, fetch, clock, limits, receiver } = options
  const callerOptions = { baseUrl, fetch, log, requestTimeoutMs: limits.requestMs }
  const limited: ApiResponse[] = []
  const recovered: Recovered[] = []
  const { 'no-credits': poorKey } = options.keys
  const isOther = ({ authorization }: Call) => poorKey !== undefined && authorization === `Bearer ${poorKey}`
  const sendOnce = waitingWhenLimited(createCaller(callerOptions), { clock, limited, isOther })
  const session = new Session({
    options,
    send: readingAgain(sendOnce, clock, recovered),
    download: createDownloader(callerOptions),
    limited,
    recovered,
    owed: (one) => owedBy(worldOf(one)),
    priceSince: (one, after) => priceSince(worldOf(one), after),
    webhookEndpoints: receiver && createWebhookEndpoints(receiver, log),
  })
  await probeService(session)
  const scenarios = scenariosOf(checks, options)
  const isRunning = [...scenarios].some(sendsRuns)
  const unfit: CannotStartError[] = []
  if (isRunning) {
    const read = (path: string, key?: string) => session.call({ path, key })
    session.targets = await chooseTargets(options, read).catch((error) => {
      if (!(error instanceof UnfitModelsError)) throw cannotStart(error, log.redactor)
      unfit.push(cannotStart(error, log.redactor))
      return {}
    })
  }
  const planned = costOf(scenarios, session.targets, options)
  if (isRunning) await session.balance.open()
  return { session, planned, unfit }
}

/** The message may show what the service sent. */
function cannotStart(error: unknown, redactor: Redactor): CannotStartError {
  if (error instanceof NoResponseError)
    return new CannotStartError(`The service cannot be reached. ${error.message}.`, { cause: error })
  if (!(error instanceof CannotStartError)) throw error
  return new CannotStartError(redactor.body(error.message))
}

async function findingOf(check: Check, session: Session): Promise<Finding> {
  const missing = missingFor(check.scenario, session.options)
  if (missing !== undefined) return skip(missing)
  try {
    return unlessLimited(check, await check.run(session))
  } catch (error) {
    if (error instanceof BlockedError) return skip(error.message)
    if (error instanceof NoResponseError) return fail(error.message, [error.exchange])
    // What was paid for must not be lost with the report.
    return fail(`could not be judged: ${error instanceof Error ? error.message : error}`, [])
  }
}

/** Checks that are about such responses too. */
const OF_LIMITS = ['limits/too-many-requests', 'errors/every-error']

/**
 * The specification shows no rate limits (section 8): a request that was rejected for one shows nothing else. A 429 alone
 * may mean something else, such as an account without credits, so it can be an observation.
 */
function unlessLimited({ id }: Check, finding: Finding): Finding {
  const { verdict, exchanges } = finding
  const isLimited = ({ direction, response }: Exchange) =>
    direction === 'sent' && response?.status === TOO_MANY_REQUESTS
  const rejected = exchanges.filter(isLimited)
  const isShown = verdict === 'observed' && !rejected.some(({ response }) => response?.headers['retry-after'])
  if (verdict === 'skipped' || rejected.length === 0 || isShown || OF_LIMITS.includes(id)) return finding
  return skip('the service rejected too many requests with 429; check again later', exchanges)
}

function resultOf(check: Check, finding: Finding, redactor: Redactor): CheckResult {
  const { verdict, detail, observation, exchanges } = finding
  return {
    check: check.id,
    area: areaOf(check),
    requirements: requirementsOf(check.id),
    verdict,
    detail: redactor.body(detail),
    observation: observation === undefined ? undefined : redactor.value(observation),
    exchanges: exchanges.map(({ id }) => id),
  }
}

/** An observation by the names that its requirements give it. */
function namedIn({ observation, requirements }: CheckResult): (readonly [string, JsonValue])[] {
  if (observation === undefined) return []
  return requirements.flatMap(({ observation: name }) => (name === undefined ? [] : [[name, observation] as const]))
}
