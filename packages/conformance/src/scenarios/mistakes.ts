import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at } from '../json.ts'
import { rejectionText } from '../judges/rules.ts'
import { specialInputs } from '../plan/inputs.ts'
import { cancelJob, jobIdIn, probeRun, readJob } from '../session/actions.ts'
import type { Session } from '../session/session.ts'
import { UNKNOWN_ID } from './runs.ts'

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
