import { ModelRunError, withTimeLimit } from '@modelrun/kit'
import { wallNow } from '../shared/clock.ts'
import type { ServedRequest } from '../shared/serving/node-listener.ts'
import type { InboxCore } from './inbox-core.ts'
import type { WaitUntil } from './inbox-options.ts'
import { parseWebhook } from './parse-webhook.ts'
import { keepTrying } from './queues.ts'
import { heard, jobKey, putJob, readRun, readStoredJob, type StoredJob } from './stored-job.ts'
import type { WebhookEvent } from './webhook-event.ts'

/**
 * A delivery, from a web-standard request or a request of Node. The query of its URL may have a token. Its body is read after
 * method and token are checked: a sender without a token costs no reading. `readBody` throws a WebhookParseError whose `status`
 * is the status of the response.
 */
export interface Delivery extends Pick<ServedRequest, 'method' | 'readBody'> {
  url?: string | undefined
  /** Keeps the runtime alive until the work after the response is done. */
  waitUntil?: WaitUntil | undefined
}

/** Responds to a delivery. Never rejects. */
export type Receive = (delivery: Delivery) => Promise<Response>

/** The service waits 10 s for the response (section 6, rule 1). */
const MAX_RESPONSE_MS = 8_000

/** The responses to a delivery: short, and without anything that was sent. */
const RESPONSES = {
  accepted: [202, 'accepted'],
  unauthorized: [401, 'The URL has no token, or not the right one for this job.'],
  not_post: [405, 'A webhook delivery is a POST request.'],
  unavailable: [503, 'The delivery could not be stored.'],
  too_many: [503, 'There are too many deliveries that have to be verified.'],
  draining: [503, 'This receiver is about to end.'],
} as const

type ResponseKind = keyof typeof RESPONSES

function responseOf(kind: ResponseKind): Response {
  const [status, message] = RESPONSES[kind]
  return Response.json({ message }, { status, headers: kind === 'not_post' ? { allow: 'POST' } : {} })
}

/**
 * Receives deliveries: cheap checks first, then one write to the engine. The work comes after the response.
 *
 * @param onStored starts the work on a delivery that was stored
 */
export function createReceive(core: InboxCore, onStored: (waitUntil: Delivery['waitUntil']) => void): Receive {
  const { networkClock } = core.options
  return async (delivery) => {
    const received = core.background.track(receive(core, delivery, () => onStored(delivery.waitUntil)))
    const limit = { clock: networkClock, limitMs: MAX_RESPONSE_MS, name: 'The inbox' }
    return await withTimeLimit(() => received, limit).catch(() => responseOf('unavailable'))
  }
}

async function receive(core: InboxCore, request: Delivery, onStored: () => void): Promise<Response> {
  if (core.stopping.signal.aborted) return responseOf('draining')
  if (request.method !== 'POST') return responseOf('not_post')
  try {
    const token = await readToken(core, request.url)
    if (token === undefined) return responseOf('unauthorized')
    const event = await parseWebhook(await request.readBody())
    const delivery: Heard = { source: 'webhook', ...token, event, notedAt: wallNow(core.options.clock) }
    return responseOf(await store(core, delivery, onStored))
  } catch (error) {
    const isKnown = error instanceof ModelRunError
    const { message, status = 400 } = isKnown ? error : { message: 'The webhook body could not be read.' }
    return Response.json({ message }, { status })
  }
}

/** Data of the task of a job that a delivery has named. */
type Heard = StoredJob & { event: WebhookEvent; token: NonNullable<StoredJob['token']> }

/** Checks the token in the URL. Returns undefined when the inbox needs a valid token and there is none. */
async function readToken(
  { options }: InboxCore,
  url: string | undefined,
): Promise<Pick<Heard, 'token' | 'ref'> | undefined> {
  if (options.tokens === undefined) return { token: 'none' }
  const token = await options.tokens.verify(url)
  // The service decides about the job of an expired token.
  if (token === undefined || (token.kind === 'expired' && options.client === undefined)) return undefined
  return { token: token.kind, ref: token.ref }
}

async function store(core: InboxCore, delivery: Heard, onStored: () => void): Promise<ResponseKind> {
  const { event } = delivery
  let kind: ResponseKind = 'accepted'
  const make = async () => {
    kind = await put(core, delivery)
    if (kind === 'accepted') onStored()
  }
  const onFailure = (error: unknown) => core.hooks.notify('onHandlerError', { event, attempt: 1, error, isLast: true })
  return (await keepTrying(core, make, onFailure)) ? kind : 'unavailable'
}

/**
 * Makes the task of the job due. A callback URL belongs to the first job that is confirmed or expected with it: deliveries of
 * another job to it are rejected.
 */
async function put(core: InboxCore, delivery: Heard): Promise<ResponseKind> {
  const { queues } = core
  const { event, ref, token } = delivery
  const key = jobKey(event.job_id)
  // At once, because the sender waits for the response.
  const [run, task] = await Promise.all([ref === undefined ? undefined : readRun(queues, ref), queues.jobs.get(key)])
  const job = readStoredJob(task?.data)
  if (run?.key !== undefined && run.key !== key) return 'unauthorized'
  // The URL is that of a run whose job is not known yet, and the job has another URL.
  const ownRef = run?.key === undefined && job?.isExpected ? job.ref : undefined
  if (ref !== undefined && ownRef !== undefined && ownRef !== ref) return 'unauthorized'
  const isUnverified = token === 'none' && !job?.isExpected
  const delayMs = isUnverified ? core.lane.reserve(key) : 0
  if (delayMs === undefined) return 'too_many'
  await putJob(queues, { key, change: heard(delivery), delayMs, isUnverified }, task)
  return 'accepted'
}
