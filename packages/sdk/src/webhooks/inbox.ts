import { readOptions } from '../arguments/read-options.ts'
import { checkWebRequest, rejectArguments } from '../serving/handler-misuse.ts'
import { createNodeListener, type NodeListener } from '../serving/node-listener.ts'
import { createDeadLetters, type DeadLetters } from './dead-letters.ts'
import { type DrainOptions, drainInbox } from './workers/drain-inbox.ts'
import {
  createCallbackUrl,
  type ExpectOptions,
  expectJob,
  forgetRun,
  type PreparedRun,
  type PrepareOptions,
  prepareRun,
} from './expected/expectations.ts'
import type { EventListener } from './subscribers/subscribers.ts'
import { waitFor } from './subscribers/wait-for.ts'
import {
  checkInboxArguments,
  DRAIN_OPTIONS,
  EXPECT_OPTIONS,
  PREPARE_OPTIONS,
  SWEEP_OPTIONS,
  WAIT_FOR_OPTIONS,
} from './inbox-arguments.ts'
import { createInboxCore } from './inbox-core.ts'
import type { InboxOptions, WaitUntil } from './inbox-options.ts'
import { InboxWorkers, type SweepOptions, type SweepReport } from './workers/inbox-workers.ts'
import { createLambdaHandler, type LambdaHandler } from './lambda-handler.ts'
import { createReceive } from './delivery/receive-delivery.ts'
import { toDelivery } from './request-delivery.ts'
import { WEBHOOK_BODY } from './webhook-body.ts'
import type { WebhookEvent } from './webhook-event.ts'

/**
 * Receives webhook deliveries: stores each delivery, responds, then runs the handler: once for each job, and again when
 * the process died in the middle. The service never sends a delivery again (section 6, rule 2): `start()` takes up the
 * work that a process left, and polls the jobs whose delivery did not come.
 */
export interface Inbox {
  /**
   * Receives a delivery: for every framework with web-standard requests.
   *
   * @throws ConfigurationError for anything but such a request; for a delivery it never rejects
   */
  handle(request: Request, options?: { waitUntil?: WaitUntil | undefined }): Promise<Response>
  /**
   * A listener for `node:http`, Express and Fastify, also right when a body parser ran first.
   *
   * @throws ConfigurationError when it is called as the listener itself
   */
  node(): NodeListener
  /** A handler for AWS Lambda. @throws ConfigurationError when it is called as the handler itself */
  lambda(): LambdaHandler
  /**
   * A URL for `webhook_url` of one run, with a signed token. A second job that is delivered to it is rejected.
   *
   * @param baseUrl Default: `publicUrl` of the inbox
   * @param context JSON that the handler gets as `context.context`
   * @throws ConfigurationError without a `secret`
   */
  callbackUrl(baseUrl?: string, context?: unknown): Promise<string>
  /**
   * Creates the callback URL of one run, and notes that the run is about to be sent.
   *
   * @throws ConfigurationError without a `secret` or a `publicUrl`; after `drain`, when the inbox is in memory
   */
  prepare(options?: PrepareOptions): Promise<PreparedRun>
  /**
   * Notes that the result of a job is to come, so that the job is polled when its delivery does not come. While the engine
   * fails, the note is repeated for a minute.
   */
  expect(jobId: string, options?: ExpectOptions): Promise<void>
  /** Notes that a prepared run certainly did not count. */
  forget(ref: string): Promise<void>
  /**
   * Calls back with each event of a job that is confirmed in this process, before its handler runs, and with a result
   * that was confirmed before. Returns how to stop that.
   */
  listen(jobId: string, listener: EventListener): () => void
  /**
   * Resolves with the event of a job once its handler has succeeded or failed for the last time, here or in another
   * process. A delivery that is not confirmed counts for nothing.
   *
   * @throws AbortedError when the signal aborts or the inbox is drained
   * @throws JobLostError when the job was given up
   */
  waitFor(jobId: string, options?: { signal?: AbortSignal | undefined }): Promise<WebhookEvent>
  /** Works everything that is due, and returns: for a scheduled function, where no process runs `start()`. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /**
   * Works everything in the background from now on: retries, the work of processes that died, and polls of jobs whose
   * delivery is overdue. Right on every replica. A process that receives a delivery starts by itself, except with
   * `waitUntil`.
   */
  start(): void
  /** Takes no more deliveries (503) and waits for the handlers that run. What waits to run again stays in the engine. */
  drain(options?: DrainOptions): Promise<void>
  /** Jobs that could not be handled. */
  readonly deadLetters: DeadLetters
}

/**
 * Creates an inbox. By default it keeps deliveries in the memory of this process, and loses them with it: pass an
 * `engine` of `@modelrun/durable` to keep them.
 *
 * @example
 * const inbox = createInbox({ client, onSucceeded: (event) => save(event.output) })
 * createServer(inbox.node()).listen(3000)
 *
 * @throws ConfigurationError when an option is wrong, or two do not go together
 */
export function createInbox(options: InboxOptions = {}): Inbox {
  const core = createInboxCore(options)
  const workers = new InboxWorkers(core)
  const receive = createReceive(core, workers)
  const { clock } = core.options
  return {
    // Frameworks that call this as their handler pass arguments of their own after the request.
    handle: async (request, options) => {
      checkWebRequest('inbox.handle', request)
      return await receive(toDelivery(request, { clock, waitUntil: options?.waitUntil }))
    },
    node: (...given: unknown[]) => {
      rejectArguments('inbox.node', given)
      return createNodeListener(receive, { body: WEBHOOK_BODY, clock })
    },
    lambda: (...given: unknown[]) => {
      rejectArguments('inbox.lambda', given)
      return createLambdaHandler(receive, { clock })
    },
    callbackUrl: async (baseUrl, context) => {
      checkInboxArguments('callbackUrl', { baseUrl, context })
      return await createCallbackUrl(core, baseUrl, context)
    },
    prepare: async (run = {}) => await prepareRun(core, readOptions('inbox.prepare', run, PREPARE_OPTIONS)),
    expect: async (jobId, run = {}) => {
      checkInboxArguments('expect', { jobId })
      await expectJob(core, jobId, readOptions('inbox.expect', run, EXPECT_OPTIONS))
      // Only this process can poll what is in its memory.
      if (core.options.isInMemory) workers.start()
    },
    forget: async (ref) => {
      checkInboxArguments('forget', { ref })
      await forgetRun(core, ref)
    },
    listen: (jobId, listener) => {
      checkInboxArguments('listen', { jobId, listener })
      return core.subscribers.listen(jobId, listener)
    },
    waitFor: async (jobId, options = {}) => {
      checkInboxArguments('waitFor', { jobId })
      return await waitFor(core, jobId, readOptions('inbox.waitFor', options, WAIT_FOR_OPTIONS).signal)
    },
    sweep: async (run = {}) => await workers.sweep(readOptions('inbox.sweep', run, SWEEP_OPTIONS)),
    start: () => workers.start(),
    drain: async (end = {}) => await drainInbox(core, workers, readOptions('inbox.drain', end, DRAIN_OPTIONS)),
    deadLetters: createDeadLetters(core),
  }
}
