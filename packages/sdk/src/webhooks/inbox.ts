import { isModelRunError } from '../errors/guards.ts'
import type { InboxOptions } from './inbox-options.ts'
import { type Claim, createMemoryRecords } from './memory-records.ts'
import { createNodeListener, type NodeListener } from './node-listener.ts'
import { parseWebhook, type WebhookBody } from './parse-webhook.ts'
import { runHandler } from './run-handler.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Receives webhook deliveries: answers at once, then works, and works once for each job. */
export interface Inbox {
  /** Answers a delivery: for every framework with web-standard requests. Never rejects. */
  handle(request: Request): Promise<Response>
  /** A listener for `node:http`, Express and Fastify, also right when a body parser ran first. */
  node(): NodeListener
  /**
   * Resolves with the event of a job once its handler has succeeded or failed for the last time; at once when it has
   * succeeded already. A delivery that the service does not confirm counts for nothing.
   */
  waitFor(jobId: string): Promise<WebhookEvent>
  /** Resolves when no handler is running or waiting to run again. Call it before the process ends. */
  drain(): Promise<void>
}

/**
 * Makes an inbox that tells duplicates by `job_id` (section 6, rule 3) in the memory of this process.
 *
 * @example
 * const inbox = createInbox({ client, onSucceeded: (event) => save(event.output) })
 * createServer(inbox.node()).listen(3000)
 */
export function createInbox(options: InboxOptions): Inbox {
  const records = createMemoryRecords()
  const running = new Set<Promise<void>>()
  const waiting = new Map<string, ((event: WebhookEvent) => void)[]>()

  async function work(delivered: WebhookEvent): Promise<void> {
    const { event, isHandled } = await runHandler(delivered, options)
    // What nobody confirmed or handled is not done: the next delivery of it gets another chance.
    if (event === undefined || !isHandled) records.release(delivered)
    else records.finish(delivered, event)
    if (event === undefined) return
    for (const resolve of waiting.get(event.job_id) ?? []) resolve(event)
    waiting.delete(event.job_id)
  }

  function accept(event: WebhookEvent): Claim {
    const claim = records.claim(event)
    if (claim === 'new') {
      const task = work(event).finally(() => running.delete(task))
      running.add(task)
    }
    return claim
  }

  async function receive(method: string, body: WebhookBody): Promise<Response> {
    if (method !== 'POST') return answer(405, 'A webhook delivery is a POST request.', { allow: 'POST' })
    try {
      return STATUS_BY_CLAIM[accept(await parseWebhook(body))]()
    } catch (error) {
      return answer(400, isModelRunError(error) ? error.message : 'The webhook body could not be read.')
    }
  }

  return {
    handle: (request) => receive(request.method, request),
    node: () => createNodeListener(receive),
    waitFor: (jobId) => {
      const event = records.finished(jobId)
      if (event !== undefined) return Promise.resolve(event)
      return new Promise((resolve) => waiting.set(jobId, [...(waiting.get(jobId) ?? []), resolve]))
    },
    drain: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** The sender asks for 2xx within 10 s (section 6, rule 1): the work comes after the answer. */
const STATUS_BY_CLAIM: Record<Claim, () => Response> = {
  new: () => answer(202, 'accepted'),
  busy: () => answer(202, 'in progress'),
  done: () => answer(200, 'duplicate'),
}

function answer(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ message }, { status, headers })
}
