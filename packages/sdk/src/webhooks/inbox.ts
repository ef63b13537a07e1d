import { createContextCapture, readOptions } from '@modelrun/kit'
import { createNodeListener, type NodeListener, rejectArguments } from '../shared/serving/node-listener.ts'
import { checkWebRequest, readRequest } from '../shared/serving/read-body.ts'
import { expectJob, prepareRun, signUrl } from './callback-runs.ts'
import { createDeadLetters, type DeadLetters } from './dead-letters.ts'
import { createInboxCore } from './inbox-core.ts'
import type {
  DrainOptions,
  ExpectOptions,
  InboxOptions,
  PreparedRun,
  PrepareOptions,
  SweepOptions,
  SweepReport,
  WaitUntil,
} from './inbox-options.ts'
import { InboxWorkers } from './inbox-workers.ts'
import { WEBHOOK_BODY } from './parse-webhook.ts'
import { createReceive } from './receive-delivery.ts'
import {
  checkInboxArguments,
  DRAIN_OPTIONS,
  EXPECT_OPTIONS,
  PREPARE_OPTIONS,
  SWEEP_OPTIONS,
  WAIT_FOR_OPTIONS,
} from './resolve-inbox-options.ts'
import { type EventListener, waitFor } from './subscribers.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Receives webhook deliveries (section 6): stores each one, responds, then runs the handler of its job. */
export interface Inbox {
  /**
   * Receives a delivery in frameworks with web-standard requests. Never rejects for a delivery. With `waitUntil`, which keeps a
   * serverless function alive, what is due is worked now: call `sweep` from a scheduled function for the rest.
   *
   * @throws ConfigurationError when the argument is not a request
   */
  handle(request: Request, options?: { waitUntil?: WaitUntil | undefined }): Promise<Response>
  /**
   * Returns a listener for `node:http` and Express, with or without a body parser before it.
   *
   * @throws ConfigurationError when it is called as the listener itself
   */
  node(): NodeListener
  /**
   * Creates a URL for `webhook_url` of one run, with a signed token. Deliveries of a second job to it are rejected.
   *
   * @param baseUrl Default: `publicUrl` of the inbox
   * @throws ConfigurationError without a `secret`, or without a URL
   */
  callbackUrl(baseUrl?: string): Promise<string>
  /**
   * Creates the callback URL of one run, and stores that the run is about to be sent.
   *
   * @throws ConfigurationError without a `secret` or a `publicUrl`; after `drain`, when the inbox is in memory
   */
  prepare(options?: PrepareOptions): Promise<PreparedRun>
  /** Stores that a job is expected, so that it is polled when its delivery does not come. Repeated for a minute. */
  expect(jobId: string, options?: ExpectOptions): Promise<void>
  /** Removes a prepared run that was certainly not accepted. */
  forget(ref: string): Promise<void>
  /** Calls back in the async context of the caller, with each confirmed event of a job in this process, before its handler. Returns a function that stops this. */
  listen(jobId: string, listener: EventListener): () => void
  /**
   * Resolves with the event of a job once its handler has succeeded, or failed for the last time, in this process or another. Not
   * for a handler, whose place it would hold. Unconfirmed deliveries do not count, and only an expected job is polled.
   *
   * @throws AbortedError when the signal aborts or the inbox is drained
   * @throws JobLostError when the job was given up
   */
  waitFor(jobId: string, options?: { signal?: AbortSignal | undefined }): Promise<WebhookEvent>
  /** Works everything that is due, and resolves. For scheduled functions, where no process calls `start()`. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /**
   * Works everything in the background from now on. A process that receives a delivery starts by itself. Polls and handlers run
   * in the async context (`AsyncLocalStorage`) in which the engine was created, of an inbox in memory in that of `createInbox`.
   */
  start(): void
  /** Takes no more deliveries (503) and waits for running handlers: not in a handler. Tasks that wait stay in the engine. */
  drain(options?: DrainOptions): Promise<void>
  /** Jobs that could not be handled. */
  readonly deadLetters: DeadLetters
}

/**
 * Creates an inbox. By default it stores deliveries in the memory of this process, and loses them with it: pass an `engine`
 * of `@modelrun/durable` to store them in a database.
 *
 * @example
 * const inbox = createInbox({ client, onSucceeded: (event) => save(event.output) })
 * createServer(inbox.node()).listen(3000)
 *
 * @throws ConfigurationError when an option is wrong, or two do not go together
 */
export function createInbox<Context = unknown>(options: InboxOptions<Context> = {}): Inbox {
  // The context of a run is what its caller passed: the types of both are the caller's to keep equal.
  const core = createInboxCore(options as InboxOptions)
  const workers = new InboxWorkers(core)
  const receive = createReceive(core, (waitUntil) => workers.onDelivery(waitUntil))
  const { networkClock: clock } = core.options
  return {
    // Frameworks that call `handle` directly pass arguments of their own after the request.
    handle: async (request, options) => {
      checkWebRequest('inbox.handle', request)
      const { method, url } = request
      const readBody = () => readRequest(request, clock, WEBHOOK_BODY)
      // A method of the context of a Worker needs its object.
      return await receive({
        method,
        url,
        readBody,
        waitUntil: options?.waitUntil && ((work) => options.waitUntil?.(work)),
      })
    },
    node: (...given: unknown[]) => {
      rejectArguments('inbox.node', given)
      return createNodeListener(receive, { body: WEBHOOK_BODY, clock })
    },
    callbackUrl: async (baseUrl) => {
      checkInboxArguments('callbackUrl', { baseUrl })
      return (await signUrl(core.options, baseUrl)).url
    },
    prepare: async (run = {}) => await prepareRun(core, readOptions('inbox.prepare', run, PREPARE_OPTIONS)),
    expect: async (jobId, run = {}) => {
      checkInboxArguments('expect', { jobId })
      await expectJob(core, jobId, readOptions('inbox.expect', run, EXPECT_OPTIONS))
      // Only this process can poll a job in its memory.
      if (core.options.isInMemory) workers.start()
    },
    forget: async (ref) => {
      checkInboxArguments('forget', { ref })
      await core.queues.runs.remove(ref)
    },
    listen: (jobId, listener) => {
      checkInboxArguments('listen', { jobId, listener })
      const within = createContextCapture()()
      return core.subscribers.add(jobId, { confirmed: (event) => within(() => listener(event)) })
    },
    waitFor: async (jobId, options = {}) => {
      checkInboxArguments('waitFor', { jobId })
      return await waitFor(core, jobId, readOptions('inbox.waitFor', options, WAIT_FOR_OPTIONS).signal)
    },
    sweep: async (run = {}) => await workers.sweep(readOptions('inbox.sweep', run, SWEEP_OPTIONS)),
    start: () => workers.start(),
    drain: async (end = {}) => await workers.drain(readOptions('inbox.drain', end, DRAIN_OPTIONS)),
    deadLetters: createDeadLetters(core),
  }
}
