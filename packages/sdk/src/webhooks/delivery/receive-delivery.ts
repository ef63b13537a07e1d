import { isModelRunError } from '../../errors/guards.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { InboxWorkers } from '../workers/inbox-workers.ts'
import { parseWebhook } from '../parse-webhook.ts'
import type { Delivery, Receive } from '../receive.ts'
import { eventKey, jobKey } from './record-key.ts'
import { readStoredContext, type StoredDelivery } from './stored-delivery.ts'
import { withTimeLimit } from './time-limit.ts'
import { keepTrying } from './keep-trying.ts'
import { type ResponseKind, respond, responseOf } from './responses.ts'
import { createUnverifiedLimit } from './unverified-limit.ts'

/** The service waits 10 s for the response (section 6, rule 1). */
const MAX_RESPONSE_MS = 8_000

/** Responds to deliveries: cheap checks first, then one write to the engine. The work comes after the response. */
export function createReceive(core: InboxCore, workers: Receiver['workers']): Receive {
  const { clock } = core.options
  const mayStoreUnverified = createUnverifiedLimit(clock)
  return async (delivery) => {
    const startedAt = clock.now()
    const received = core.tasks.track(receive({ core, workers, mayStoreUnverified }, delivery))
    const limit = { clock, limitMs: MAX_RESPONSE_MS, onLate: () => responseOf('unavailable') }
    const response = await withTimeLimit(received, limit)
    core.hooks.metric('ack_ms', undefined, clock.now() - startedAt)
    return response
  }
}

interface Receiver {
  core: InboxCore
  workers: Pick<InboxWorkers, 'onDelivery'>
  mayStoreUnverified: () => boolean
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
    if (!isModelRunError(error)) return respond(400, 'The webhook body could not be read.')
    return respond(error.status ?? 400, error.message)
  }
}

/** The token in the URL; undefined: there is none, where one is needed. */
async function readToken(
  { options, poller }: InboxCore,
  url: string | undefined,
): Promise<Pick<StoredDelivery, 'token' | 'ref'> | undefined> {
  if (options.tokens === undefined) return { token: 'none' }
  const check = await options.tokens.verify(url)
  // The job of an expired token is polled, whatever is trusted.
  const isUsable = check.kind === 'genuine' || (check.kind === 'expired' && poller !== undefined)
  return isUsable ? { token: check.kind, ref: check.ref } : undefined
}

async function store(
  { core, workers, mayStoreUnverified }: Receiver,
  delivery: StoredDelivery,
  waitUntil: Delivery['waitUntil'],
): Promise<ResponseKind> {
  const { results, unverified } = core.queues
  const { event } = delivery
  const id = eventKey(event)
  const unverifiedId = globalThis.crypto.randomUUID()
  let kind: ResponseKind = 'accepted'
  const make = async () => {
    const isTrustedDelivery = await isTrusted(core, delivery)
    if (await isOfAnotherJob(core, delivery)) kind = 'unauthorized'
    else if (!isTrustedDelivery && !mayStoreUnverified()) kind = 'too_many'
    else {
      await (isTrustedDelivery ? results.add(id, delivery) : unverified.add(unverifiedId, delivery))
      core.hooks.metric('accepted', event.job_id)
      workers.onDelivery({ resultId: id, unverifiedId: isTrustedDelivery ? undefined : unverifiedId }, waitUntil)
    }
  }
  const onFailure = (error: unknown) => core.hooks.notify('onHandlerError', { event, attempt: 1, error, isLast: true })
  return (await keepTrying(core, { make, onFailure })) ? kind : 'unavailable'
}

/** A callback URL belongs to the first job that is confirmed or expected for it: a URL that leaked is of no more use. */
async function isOfAnotherJob({ queues }: InboxCore, { ref, event }: StoredDelivery): Promise<boolean> {
  if (ref === undefined) return false
  const key = jobKey(event.job_id)
  const binding = await queues.bindings.get(ref)
  if (binding !== undefined) return Object(binding.data).key !== key
  // The URL of a run that is not noted yet, for a job that has its own.
  const expected = readStoredContext((await queues.expected.get(key))?.data)
  return expected?.ref !== undefined && expected.ref !== ref
}

/** Whether this process has reason to believe that the service sent a delivery. Others wait in a slow queue. */
async function isTrusted({ options, queues }: InboxCore, { token, event }: StoredDelivery): Promise<boolean> {
  if (token === 'genuine' || options.trust === 'payload') return true
  return (await queues.expected.get(jobKey(event.job_id))) !== undefined
}
