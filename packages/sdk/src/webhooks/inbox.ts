import { readOptions } from '../arguments/read-options.ts'
import { checkWebRequest, rejectArguments } from '../serving/handler-misuse.ts'
import { createNodeListener, type NodeListener } from '../serving/node-listener.ts'
import { createDeadLetters, type DeadLetters } from './dead-letters.ts'
import { type DrainOptions, drainInbox } from './drain-inbox.ts'
import {
  type ExpectOptions,
  expectJob,
  forgetRun,
  makeCallbackUrl,
  type PreparedRun,
  type PrepareOptions,
  prepareRun,
} from './expecting/expectations.ts'
import type { EventListener } from './follow/followers.ts'
import { waitFor } from './follow/wait-for.ts'
import {
  checkInboxArguments,
  DRAIN_OPTIONS,
  EXPECT_OPTIONS,
  PREPARE_OPTIONS,
  RECONCILE_OPTIONS,
  WAIT_FOR_OPTIONS,
} from './inbox-arguments.ts'
import { createInboxCore } from './inbox-core.ts'
import type { InboxOptions } from './inbox-options.ts'
import { createLambdaHandler, type LambdaHandler } from './lambda-handler.ts'
import { createReceive } from './receiving/receive-delivery.ts'
import { startBackground } from './recovery/background.ts'
import { createReconciler, type ReconcileOptions, type ReconcileReport } from './recovery/reconcile.ts'
import { type SweepReport, sweep } from './recovery/sweep.ts'
import { toDelivery } from './request-delivery.ts'
import { WEBHOOK_BODY } from './webhook-body.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { WaitUntil } from './work/start-work.ts'

/**
 * Receives webhook deliveries: stores them, answers, then works; and works once for each job, unless a process dies in
 * the middle. Deliveries are never sent again (section 6, rule 2): `start()` finds what was left undone, and the results
 * whose delivery did not come.
 */
export interface Inbox {
  /**
   * Answers a delivery: for every framework with web-standard requests.
   *
   * @throws ConfigurationError for what is not such a request; for a delivery it never rejects
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
   * An address for `webhook_url` of one run, with a signed token: a second job that is delivered to it is refused.
   *
   * @param baseUrl Default: `publicUrl` of the inbox
   * @param context JSON that the handler gets as `context.context`
   * @throws ConfigurationError without a `secret`
   */
  callbackUrl(baseUrl?: string, context?: unknown): Promise<string>
  /**
   * Makes the callback address of one run, and notes that it is about to be sent.
   *
   * @throws ConfigurationError without a `secret` or a `publicUrl`; after `drain`, when no other process shares the store
   */
  prepare(options?: PrepareOptions): Promise<PreparedRun>
  /** Notes that the result of a job is to come, so that it is looked for when its delivery does not. */
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
  /** Works on what is due: retries, and what a process left that died. `start()` does it every 15 s. */
  sweep(): Promise<SweepReport>
  /** Looks at the jobs whose delivery is overdue. `start()` does it every 15 s. */
  reconcile(options?: ReconcileOptions): Promise<ReconcileReport>
  /**
   * Looks for due work and overdue jobs from now on, in the background. Right on every replica.
   *
   * @throws ConfigurationError after `drain`, or when the store was found not to work as one
   */
  start(): void
  /** Takes no more deliveries (503) and waits for the handlers that run. What waits to run again is left to the store. */
  drain(options?: DrainOptions): Promise<void>
  /** Jobs that could not be handled. */
  readonly deadLetters: DeadLetters
}

/**
 * Makes an inbox. By default it keeps deliveries in the memory of this process: pass a `store` to lose none of them.
 *
 * @example
 * const inbox = createInbox({ client, onSucceeded: (event) => save(event.output) })
 * createServer(inbox.node()).listen(3000)
 *
 * @throws ConfigurationError when an option is wrong, or two do not go together
 */
export function createInbox(options: InboxOptions = {}): Inbox {
  const core = createInboxCore(options)
  const receive = createReceive(core)
  const reconciler = createReconciler(core)
  const { clock } = core.options
  let isStarted = false
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
      return await makeCallbackUrl(core, baseUrl, context)
    },
    prepare: async (run = {}) => await prepareRun(core, readOptions('inbox.prepare', run, PREPARE_OPTIONS)),
    expect: async (jobId, run = {}) => {
      checkInboxArguments('expect', { jobId })
      await expectJob(core, jobId, readOptions('inbox.expect', run, EXPECT_OPTIONS))
    },
    forget: async (ref) => {
      checkInboxArguments('forget', { ref })
      await forgetRun(core, ref)
    },
    listen: (jobId, listener) => {
      checkInboxArguments('listen', { jobId, listener })
      return core.followers.listen(jobId, listener)
    },
    waitFor: async (jobId, options = {}) => {
      checkInboxArguments('waitFor', { jobId })
      return await waitFor(core, jobId, readOptions('inbox.waitFor', options, WAIT_FOR_OPTIONS).signal)
    },
    sweep: () => core.tasks.track(sweep(core)),
    reconcile: async (run = {}) => {
      const options = readOptions('inbox.reconcile', run, RECONCILE_OPTIONS)
      return await core.tasks.track(reconciler.reconcile(options))
    },
    start: () => {
      if (!isStarted) startBackground(core, reconciler)
      isStarted = true
    },
    drain: async (end = {}) => await drainInbox(core, readOptions('inbox.drain', end, DRAIN_OPTIONS)),
    deadLetters: createDeadLetters(core),
  }
}
