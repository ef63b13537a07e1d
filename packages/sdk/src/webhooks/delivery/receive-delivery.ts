import { ModelRunError, withTimeLimit } from '@modelrun/kit'
import type { Clock } from '../../shared/clock.ts'
import type { InboxCore } from '../inbox-core.ts'
import { parseWebhook, type WebhookBody } from '../parse-webhook.ts'
import { keepTrying } from '../queues.ts'
import { eventKey, jobKey, readStoredContext, type StoredDelivery } from '../stored-records.ts'
import type { DeliveryTasks } from '../workers/inbox-workers.ts'

/** A delivery request, from a web-standard request or a request of Node. */
export interface Delivery {
  /** HTTP method, in capitals. */
  method: string
  /** The URL of the request, or its path with the query. The query may have a token. */
  url?: string | undefined
  /**
   * Reads the body within limits of size and time. Called at most once, after method and token are checked: a sender
   * without a token costs no reading.
   *
   * @throws WebhookParseError whose `status` is the status of the response: 400 or 408
   */
  readBody(): Promise<WebhookBody>
  /** Keeps the runtime alive until the work after the response is done. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
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
  return respond(status, message, kind === 'not_post' ? { allow: 'POST' } : {})
}

function respond(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ message }, { status, headers })
}

interface Receiver {
  core: InboxCore
  /** Starts the work on a delivery that was stored. */
  onStored(ids: DeliveryTasks, waitUntil: Delivery['waitUntil']): void
  mayStoreUnverified(): boolean
}

/** Receives deliveries: cheap checks first, then one write to the engine. The work comes after the response. */
export function createReceive(core: InboxCore, onStored: Receiver['onStored']): Receive {
  const { clock, networkClock } = core.options
  const receiver = { core, onStored, mayStoreUnverified: createUnverifiedLimit(clock) }
  return async (delivery) => {
    const startedAt = clock.now()
    const received = core.background.track(receive(receiver, delivery))
    const limit = { clock: networkClock, limitMs: MAX_RESPONSE_MS, onLate: () => responseOf('unavailable') }
    const response = await withTimeLimit(received, limit)
    core.hooks.metric('ack_ms', undefined, clock.now() - startedAt)
    return response
  }
}

async function receive(receiver: Receiver, request: Delivery): Promise<Response> {
  const { core } = receiver
  if (core.stopping.signal.aborted) return responseOf('draining')
  if (request.method !== 'POST') return responseOf('not_post')
  try {
    const token = await readToken(core, request.url)
    if (token === undefined) return responseOf('unauthorized')
    const event = await parseWebhook(await request.readBody())
    const delivery: StoredDelivery = { source: 'webhook', ...token, event, receivedAt: core.options.clock.now() }
    return responseOf(await store(receiver, delivery, request.waitUntil))
  } catch (error) {
    if (!(error instanceof ModelRunError)) return respond(400, 'The webhook body could not be read.')
    return respond(error.status ?? 400, error.message)
  }
}

/** Checks the token in the URL. Returns undefined when the inbox needs a valid token and there is none. */
async function readToken(
  { options, poller }: Pick<InboxCore, 'options' | 'poller'>,
  url: string | undefined,
): Promise<Pick<StoredDelivery, 'token' | 'ref'> | undefined> {
  if (options.tokens === undefined) return { token: 'none' }
  const check = await options.tokens.verify(url)
  // The job of an expired token is polled in every trust mode.
  const isUsable = check.kind === 'genuine' || (check.kind === 'expired' && poller !== undefined)
  return isUsable ? { token: check.kind, ref: check.ref } : undefined
}

/** Adds the delivery to the queue that `chooseQueue` names, and starts the work on it. */
async function store(
  { core, onStored, mayStoreUnverified }: Receiver,
  delivery: StoredDelivery,
  waitUntil: Delivery['waitUntil'],
): Promise<ResponseKind> {
  const { queues, hooks } = core
  const { event } = delivery
  const resultId = eventKey(event)
  const unverifiedId = globalThis.crypto.randomUUID()
  let kind: ResponseKind = 'accepted'
  const make = async () => {
    const queue = await chooseQueue(core, delivery)
    if (queue === undefined) kind = 'unauthorized'
    else if (queue === 'unverified' && !mayStoreUnverified()) kind = 'too_many'
    else {
      await queues[queue].add(queue === 'results' ? resultId : unverifiedId, delivery)
      hooks.metric('accepted', event.job_id)
      onStored({ resultId, unverifiedId: queue === 'results' ? undefined : unverifiedId }, waitUntil)
    }
  }
  const onFailure = (error: unknown) => hooks.notify('onHandlerError', { event, attempt: 1, error, isLast: true })
  return (await keepTrying(core, { make, onFailure })) ? kind : 'unavailable'
}

/**
 * `results` for a delivery with a valid token or of an expected job, `unverified` for other senders. Returns undefined when
 * the callback URL belongs to another job: a URL belongs to the first job that is confirmed or expected with it.
 */
async function chooseQueue(
  { queues, options }: InboxCore,
  { token, ref, event }: StoredDelivery,
): Promise<'results' | 'unverified' | undefined> {
  const key = jobKey(event.job_id)
  const isTrusted = token === 'genuine' || options.trust === 'payload'
  if (isTrusted && ref === undefined) return 'results'
  // At once, because the sender waits for the response.
  const [binding, expected] = await Promise.all([
    ref === undefined ? undefined : queues.bindings.get(ref),
    queues.expected.get(key),
  ])
  if (binding !== undefined && Object(binding.data).key !== key) return undefined
  const isUnbound = ref !== undefined && binding === undefined
  // The URL is that of a run whose job is not known yet, and the job has another URL.
  const ownRef = isUnbound ? readStoredContext(expected?.data)?.ref : undefined
  if (ownRef !== undefined && ownRef !== ref) return undefined
  return isTrusted || expected !== undefined ? 'results' : 'unverified'
}

/** Unverified deliveries that one process stores in a minute. */
const MAX_A_MINUTE = 600
const MINUTE_MS = 60_000

/** Limits the unverified deliveries of this process. The function returns whether one more may be stored. */
export function createUnverifiedLimit(clock: Clock): () => boolean {
  let since = clock.now()
  let count = 0
  return () => {
    if (clock.now() - since >= MINUTE_MS) {
      since = clock.now()
      count = 0
    }
    count += 1
    return count <= MAX_A_MINUTE
  }
}
