import { ROUTES, routePath } from '@modelrun/contract'
import { type CheckName, orderOfChecks } from '@modelrun/contract/assumptions'
import { defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at } from '../json.ts'
import { rejectionText } from '../judges/rules.ts'
import { type Rule, specialInputs } from '../plan/inputs.ts'
import { cancelJob, jobIdIn, probeRun } from '../session/actions.ts'
import type { LimitedKey } from '../session/keys.ts'
import type { Session } from '../session/session.ts'
import { unknownModel } from './reads.ts'
import { UNKNOWN_ID, unknownModelRun, unlessBlocked, wrongRuns } from './runs.ts'

/** Not the whole of a body. */
const BROKEN = '{"input": '
const OTHER_SCHEME = 'ftp://127.0.0.1/conformance'

export const brokenJson = defineScenario('broken-json', { runs: { main: 0 } }, (session) =>
  probeRun(session, { text: BROKEN }),
)
/** A run that waits: where it is accepted, that shows whether its webhook counts. */
export const otherScheme = defineScenario(
  'other-scheme',
  { runs: { main: 0 }, costOf: ({ main }) => main?.creditsPerRun ?? 0 },
  (session) => probeRun(session, { body: { input: session.target('main').input, webhook_url: OTHER_SCHEME } }),
)
export const noCredits = defineScenario('no-credits', { keys: ['no-credits'], runs: { main: 0 } }, (session) =>
  probeRun(session, { key: session.key(['no-credits']) }),
)
export const unknownJob = defineScenario('unknown-job', {}, (session) =>
  session.call({ path: routePath(ROUTES.getJob, { id: UNKNOWN_ID }), isOpen: true }),
)
export const cancelledUnknown = defineScenario('cancelled-unknown', { writes: true }, (session) =>
  cancelJob(session, UNKNOWN_ID, { isOpen: true }),
)

/**
 * Values of `sync` that are not booleans. A service that does not know `"false"` may know `"0"`, but no other word; what a text
 * that says nothing does is open only where one that says false is read.
 */
export const invalidSync = defineScenario(
  'invalid-sync',
  { runs: { main: 0 }, costOf: ({ main }) => 5 * (main?.creditsPerRun ?? 0) },
  async (session) => {
    const send = async (sync: unknown) => probeRun(session, { body: { input: session.target('main').input, sync } })
    const syncWord = await send('false')
    return {
      syncWord,
      syncDigit: await send('0'),
      ...(jobIdIn(syncWord) === undefined ? {} : { syncYes: await send('yes') }),
      ...(says(syncWord) === 'queued' ? { syncText: await send('conformance') } : {}),
      syncNumber: await send(0),
      syncNull: await send(null),
    }
  },
)

/** Values of `webhook_url` that are not URLs, by their names as rejections of the reference server. */
const SPECIAL_WEBHOOKS = {
  malformedWebhookUrl: 'conformance',
  webhookEmpty: '',
  webhookNull: null,
  webhookNumber: 7,
}

/** Values of which nothing says what they mean. A run that waits shows whether its webhook counts. */
export const specialValues = defineScenario(
  'special-values',
  { runs: { main: 0 }, costOf: ({ main }) => Object.keys(SPECIAL_WEBHOOKS).length * (main?.creditsPerRun ?? 0) },
  async (session) => {
    const { input, inputSchema } = session.target('main')
    const responses: Record<string, ApiResponse> = {}
    for (const [name, webhook_url] of Object.entries(SPECIAL_WEBHOOKS))
      responses[name] = await probeRun(session, { body: { input, webhook_url } })
    for (const [name, special] of Object.entries(specialInputs({ input, inputSchema })))
      responses[name] = await probeRun(session, { input: special })
    return responses
  },
)

const says = ({ json }: ApiResponse) => at(json, '/status')

/** Keys that lack what a check asks for, by the check. */
const LACKING: Readonly<Partial<Record<CheckName, readonly (LimitedKey | 'no-credits')[]>>> = {
  'models:read': ['without-models-read'],
  'jobs:read': ['without-jobs-read'],
  'jobs:write': ['without-jobs-write', 'read-only'],
  'models:run': ['without-models-run', 'read-only'],
  'webhooks:manage': ['without-webhooks-manage'],
  credits: ['no-credits'],
}
const READS = { model: ROUTES.getModel, job: ROUTES.getJob, cancelledJob: ROUTES.cancelJob } as const
const READ_CHECKS = [
  ['model', 'models:read'],
  ['job', 'jobs:read'],
  ['cancelledJob', 'jobs:write'],
] as const
const FORBIDDEN = 'status 403 with the code FORBIDDEN'

/**
 * The order in which the checks of requests are made (section 7), as far as two mistakes together show it: each check is
 * placed by requests that hold its mistake and that of one before. Mistakes that are reported alike need no order.
 */
export const checkOrder = defineScenario(
  'check-order',
  { runs: { main: 0 }, uses: [unknownModelRun, wrongRuns] },
  async (session) => {
    const alone = await reportedAlone(session)
    const before = session.recorded.length
    const reads: CheckName[] = []
    for (const [check, permission] of READ_CHECKS)
      reads.push(...(await placed(session, { alone, order: [permission], check, after: [] })))
    let order: CheckName[] = ['models:run']
    for (const [check, ...after] of RUN_CHECKS) order = await placed(session, { alone, order, check, after })
    return {
      order: orderOfChecks([...reads, ...order]),
      pairs: session.recorded.slice(before).map(({ response }) => response),
    }
  },
)

/** The checks of a run, each with those that must come before it. */
const RUN_CHECKS: readonly (readonly [CheckName, ...CheckName[]])[] = [
  ['json'],
  ['body', 'json'],
  ['webhook', 'body'],
  ['runModel'],
  ['input', 'body', 'runModel'],
  ['webhooks:manage', 'body'],
  ['credits', 'runModel'],
]

interface Placing {
  alone: Reported
  order: readonly CheckName[]
  check: CheckName
  after: readonly CheckName[]
}
type Reported = ReadonlyMap<CheckName, string>

async function placed(session: Session, { alone, order, check, after }: Placing): Promise<CheckName[]> {
  const least = Math.max(0, ...after.map((name) => order.indexOf(name) + 1))
  let place = order.length
  for (let index = order.length; index > least; index--) {
    const isFirst = await comesFirst(session, alone, [check, order[index - 1] ?? check])
    if (isFirst === false) break
    if (isFirst) place = index - 1
  }
  return order.toSpliced(place, 0, check)
}

/** Whether the first of two mistakes is reported when both are made; `undefined` where that cannot be seen. */
async function comesFirst(
  session: Session,
  alone: Reported,
  pair: readonly [CheckName, CheckName],
): Promise<boolean | undefined> {
  const [wanted, other] = pair.map((name) => alone.get(name))
  const keys = pair.flatMap((name) => LACKING[name] ?? [])
  const key = keys.map((name) => session.options.keys[name]).find((one) => one !== undefined)
  const isShown = wanted !== undefined && other !== undefined && wanted !== other
  const isPossible = pair.filter((name) => LACKING[name]).length < 2 && (keys.length === 0 || key !== undefined)
  if (!isShown || !isPossible) return undefined
  let reported: string | undefined
  await unlessBlocked(async () => {
    reported = rejectionText(await mistaken(session, pair, key))
  })
  return reported === wanted ? true : reported === other ? false : undefined
}

function mistaken(session: Session, pair: readonly CheckName[], key: string | undefined): Promise<ApiResponse> {
  const has = (name: CheckName) => pair.includes(name)
  const [read] = pair.flatMap((name) => (name in READS ? [READS[name as keyof typeof READS]] : []))
  if (read !== undefined)
    return session.call({ method: read.method, path: routePath(read, { id: UNKNOWN_ID }), key, isOpen: true })
  const input = has('input') ? violated(session, 'required')?.input : session.target('main').input
  const url = has('webhook') ? OTHER_SCHEME : has('webhooks:manage') ? 'https://webhook.invalid/conformance' : undefined
  const body = { input: has('body') ? undefined : input, sync: false, webhook_url: url }
  const call = { body, text: has('json') ? BROKEN : undefined, key, isOpen: true }
  if (!has('runModel')) return probeRun(session, call)
  return session.call({ ...call, method: 'POST', path: routePath(ROUTES.runModel, { model: UNKNOWN_ID }) })
}

/** How each mistake is reported that was made alone, and rejected. */
async function reportedAlone(session: Session): Promise<Reported> {
  const shown = new Map<CheckName, string>()
  const add = (check: CheckName, response: ApiResponse | undefined) => {
    if (response !== undefined && response.status >= 400 && jobIdIn(response) === undefined)
      shown.set(check, rejectionText(response))
  }
  const sent: readonly [CheckName, Scenario<ApiResponse>][] = [
    ['model', unknownModel],
    ['job', unknownJob],
    ['cancelledJob', cancelledUnknown],
    ['json', brokenJson],
    ['webhook', otherScheme],
    ['credits', noCredits],
  ]
  for (const [check, scenario] of sent) await unlessBlocked(async () => add(check, await session.evidence(scenario)))
  add('runModel', violated(session, 'model')?.response)
  add('body', violated(session, 'input')?.response)
  add('input', violated(session, 'required')?.response)
  for (const name of ['models:read', 'jobs:read', 'jobs:write', 'models:run'] as const) shown.set(name, FORBIDDEN)
  return shown
}

function violated({ recorded }: Session, rule: Rule) {
  const run = recorded.find(({ violation }) => violation?.rule === rule)
  return run && { response: run.response, input: at(run.body, '/input') }
}
