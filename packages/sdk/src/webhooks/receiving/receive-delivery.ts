import { isModelRunError } from '../../errors/guards.ts'
import type { InboxCore } from '../inbox-core.ts'
import { parseWebhook } from '../parse-webhook.ts'
import type { Delivery, Receive } from '../receive.ts'
import { eventKey, MAX_KEY_LENGTH } from '../record-key.ts'
import type { StoredDelivery } from '../stored-delivery.ts'
import { withTimeLimit } from '../time-limit.ts'
import { type Accepting, acceptDelivery } from './accept-delivery.ts'
import { type AnswerKind, answer, respond } from './answer.ts'
import { createKeptDeliveries } from './kept-deliveries.ts'

/** The service waits 10 s for the answer (section 6, rule 1). */
const MAX_ANSWER_MS = 8_000

/** How long the store may take before the delivery is kept in memory instead. */
const MAX_STORE_MS = 2_000

type Kept = ReturnType<typeof createKeptDeliveries>

/** Answers deliveries: cheap checks first, then one write to the store; the work comes after the answer. */
export function createReceive(core: InboxCore): Receive {
  const kept = createKeptDeliveries(core)
  const { clock } = core.options
  return async (delivery) => {
    const startedAt = clock.now()
    const answered = core.tasks.track(receive(core, kept, delivery))
    const limit = { clock, limitMs: MAX_ANSWER_MS, onLate: () => answer('unavailable') }
    const response = await withTimeLimit(answered, limit)
    core.hooks.metric('ack_ms', undefined, clock.now() - startedAt)
    return response
  }
}

async function receive(core: InboxCore, kept: Kept, request: Delivery): Promise<Response> {
  if (core.stopping.signal.aborted) return answer('draining')
  if (request.method !== 'POST') return answer('not_post')
  try {
    const token = await readToken(core, request.url)
    if (token === undefined) return answer('unauthorized')
    const event = await parseWebhook(await request.readBody())
    if (eventKey(event).length > MAX_KEY_LENGTH) return respond(400, 'The `job_id` is too long.')
    const delivery: StoredDelivery = { source: 'webhook', ...token, event }
    return answer(await store(core, kept, { delivery, waitUntil: request.waitUntil }))
  } catch (error) {
    if (!isModelRunError(error)) return respond(400, 'The webhook body could not be read.')
    return respond(error.status ?? 400, error.message)
  }
}

/** What the token in the address is worth; undefined: nothing, where one is needed. */
async function readToken(
  core: InboxCore,
  url: string | undefined,
): Promise<Pick<StoredDelivery, 'token' | 'ref'> | undefined> {
  const { tokens } = core.options
  if (tokens === undefined) return { token: 'none' }
  const check = await tokens.verify(url)
  // An expired one is a hint: the service is asked, whoever is trusted.
  const isUsable = check.kind === 'genuine' || (check.kind === 'expired' && core.looker !== undefined)
  return isUsable ? { token: check.kind, ref: check.ref } : undefined
}

async function store(core: InboxCore, kept: Kept, accepting: Accepting): Promise<AnswerKind> {
  const earlier = core.tasks.track(acceptDelivery(core, accepting))
  const onLate = () => {
    throw new Error(`The store of the inbox did not answer within ${MAX_STORE_MS} ms.`)
  }
  try {
    return await withTimeLimit(earlier, { clock: core.options.clock, limitMs: MAX_STORE_MS, onLate })
  } catch {
    // A store that was found not to work as one will not do so in a minute.
    if (core.store.fault === undefined) kept.keep({ ...accepting, earlier })
    return 'unavailable'
  }
}
