import { ROUTES, routePath } from '@modelrun/contract'
import { type CheckName, orderOfChecks } from '@modelrun/contract/assumptions'
import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at } from '../json.ts'
import { rejectionText } from '../judges/rules.ts'
import { responsesOf } from '../judges/world.ts'
import { type Rule, specialInputs } from '../plan/inputs.ts'
import { cancelJob, jobIdIn, probeRun, readJob } from '../session/actions.ts'
import type { LimitedKey } from '../session/keys.ts'
import type { Session } from '../session/session.ts'
import { unknownModel } from './reads.ts'
import { UNKNOWN_ID, unknownModelRun, unlessBlocked, wrongRuns } from './runs.ts'

/** Not the whole of a body. */
const BROKEN = '{"input": '
const OTHER_SCHEME = 'ftp://127.0.0.1/conformance'

export const brokenJson = defineScenario({ writes: true }, (session) => probeRun(session, { text: BROKEN }))
export const noCredits = defineScenario({ key: 'no-credits', writes: true }, (session) =>
  probeRun(session, { key: session.options.keys['no-credits'] }),
)
export const unknownJob = defineScenario({}, (session) => {
  return readJob(session, unknownIdIn(session), { isOpen: true })
})
/**
 * Cancels of an unknown job, by an id of another form than those of the service; where that is reported like the read of an unknown
 * job, nothing else is sent: the form does not count.
 */
export const cancelledUnknown = defineScenario({ writes: true, uses: [unknownJob] }, async (session) => {
  const read = await session.evidence(unknownJob)
  const malformed = await cancelJob(session, UNKNOWN_ID, { isOpen: true })
  const id = unknownIdIn(session)
  const isLike = id === UNKNOWN_ID || rejectionText(malformed) === rejectionText(read)
  return { id, malformed, cancel: isLike ? malformed : await cancelJob(session, id, { isOpen: true }) }
})

/** In pairs: each stands for the other one in an id that no job has. */
const LETTERS = 'afbecdghjkmnpqrstvwxyzilou'
const PAIRS = `0918273645${LETTERS}${LETTERS.toUpperCase()}`

/** An id that no job has: in the form of the service, as soon as that has shown one. */
function unknownIdIn({ recorded }: Session): string {
  const jobId = recorded.map(({ response }) => jobIdIn(response)).find((id) => id !== undefined)
  // Where jobs are counted, that of another one is close.
  if (jobId !== undefined && /(?<![\da-z])\d{1,6}$/i.test(jobId)) return jobId.replace(/\d+$/, '999999')
  return jobId?.replace(/[\da-z](?=[\da-z]{0,5}$)/gi, (one) => PAIRS.charAt(PAIRS.indexOf(one) ^ 1)) ?? UNKNOWN_ID
}

/**
 * Values of `sync` that are not booleans. A service that does not know `"false"` may know `"0"`, but no other word; what a text
 * that says nothing does is open only where one that says false is read.
 */
export const invalidSync = defineScenario(
  { writes: true, costOf: ({ main }) => 5 * (main?.creditsPerRun ?? 0) },
  async (session) => {
    const send = (sync: unknown) => probeRun(session, { body: { input: session.target('main').input, sync } })
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
  webhookScheme: OTHER_SCHEME,
  malformedWebhookUrl: 'conformance',
  webhookEmpty: '',
  webhookNull: null,
  webhookNumber: 7,
}

/** Values of which nothing says what they mean. A run that waits shows whether its webhook counts. */
export const specialValues = defineScenario(
  { writes: true, costOf: ({ main }) => Object.keys(SPECIAL_WEBHOOKS).length * (main?.creditsPerRun ?? 0) },
  async (session) => {
    const { input, inputSchema } = session.target('main')
    const webhooks = await each(SPECIAL_WEBHOOKS, (webhook_url) => probeRun(session, { body: { input, webhook_url } }))
    const inputs = specialInputs({ input, inputSchema })
    return { ...webhooks, ...(await each(inputs, (special) => probeRun(session, { input: special }))) }
  },
)

/** The responses to requests that are sent one after the other, each by its name. */
export async function each<Name extends string, Value>(
  values: Readonly<Record<Name, Value>>,
  send: (value: Value) => Promise<ApiResponse>,
): Promise<Record<Name, ApiResponse>> {
  const responses = new Map<string, ApiResponse>()
  for (const [name, value] of Object.entries<Value>(values)) responses.set(name, await send(value))
  return Object.fromEntries(responses) as Record<Name, ApiResponse> // the names of the values
}

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
/** Checks of requests without a body, each with the route and its permission. */
const READS = [
  ['model', ROUTES.getModel, 'models:read'],
  ['job', ROUTES.getJob, 'jobs:read'],
  ['cancelledJob', ROUTES.cancelJob, 'jobs:write'],
] as const
const FORBIDDEN = 'status 403 with the code FORBIDDEN'

/**
 * The order in which the checks of requests are made (section 7), as far as two mistakes together show it: each check is
 * placed by requests that hold its mistake and that of one before. Mistakes that are reported alike need no order.
 */
export const checkOrder = defineScenario({ writes: true, uses: [unknownModelRun, wrongRuns] }, async (session) => {
  const alone = await reportedAlone(session)
  const before = session.recorded.length
  const reads: CheckName[] = []
  for (const [check, , permission] of READS) reads.push(...(await placed(session, alone, [[permission], check])))
  let order: CheckName[] = ['models:run']
  for (const check of RUN_CHECKS) order = await placed(session, alone, [order, ...check])
  return { order: orderOfChecks([...reads, ...order]), pairs: responsesOf(session.recorded.slice(before)) }
})

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

type Pair = readonly [CheckName, CheckName]
type Reported = ReadonlyMap<CheckName, string>

/** An order with one more check, which others must come before. */
async function placed(
  session: Session,
  alone: Reported,
  [order, check, ...after]: readonly [readonly CheckName[], CheckName, ...CheckName[]],
): Promise<CheckName[]> {
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
async function comesFirst(session: Session, alone: Reported, pair: Pair): Promise<boolean | undefined> {
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
  const [, route] = READS.find(([name]) => has(name)) ?? []
  const id = has('model') ? UNKNOWN_ID : unknownIdIn(session)
  if (route !== undefined)
    return session.call({ method: route.method, path: routePath(route, { id }), key, isOpen: true })
  const input = has('input') ? violated(session, 'required')?.input : session.target('main').input
  const url = has('webhook') ? OTHER_SCHEME : has('webhooks:manage') ? 'https://webhook.invalid/conformance' : undefined
  const body = { input: has('body') ? undefined : input, sync: false, webhook_url: url }
  const call = { body, text: has('json') ? BROKEN : undefined, key, isOpen: true }
  if (!has('runModel')) return probeRun(session, call)
  return session.call({ ...call, method: 'POST', path: routePath(ROUTES.runModel, { model: UNKNOWN_ID }) })
}

/** How each mistake is reported that was made alone, and rejected. */
async function reportedAlone(session: Session): Promise<Reported> {
  const permissions = ['models:read', 'jobs:read', 'jobs:write', 'models:run'] as const
  const shown = new Map<CheckName, string>(permissions.map((name) => [name, FORBIDDEN]))
  const alone: readonly [CheckName, () => Promise<ApiResponse | undefined>][] = [
    ['model', () => session.evidence(unknownModel)],
    ['job', () => session.evidence(unknownJob)],
    ['cancelledJob', async () => (await session.evidence(cancelledUnknown)).cancel],
    ['json', () => session.evidence(brokenJson)],
    ['webhook', async () => (await session.evidence(specialValues)).webhookScheme],
    ['credits', () => session.evidence(noCredits)],
    ['runModel', async () => violated(session, 'model')?.response],
    ['body', async () => violated(session, 'input')?.response],
    ['input', async () => violated(session, 'required')?.response],
  ]
  for (const [check, send] of alone) {
    await unlessBlocked(async () => {
      const response = await send()
      if (response !== undefined && response.status >= 400 && jobIdIn(response) === undefined)
        shown.set(check, rejectionText(response))
    })
  }
  return shown
}

function violated({ recorded }: Session, rule: Rule) {
  const run = recorded.find(({ violation }) => violation?.rule === rule)
  return run && { response: run.response, input: at(run.body, '/input') }
}
