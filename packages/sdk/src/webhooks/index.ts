/**
 * Receiving results by webhook (section 6).
 *
 * @module
 */
export { isWebhookParseError, WebhookParseError } from '../errors/local-errors.ts'
export type {
  FastifyLikeReply,
  FastifyLikeRequest,
  NodeListener,
  NodeRequest,
  NodeResponse,
} from '../serving/node-listener.ts'
export { redactCallbackUrl } from './callback-token.ts'
export type { DeadLetter, DeadLetters } from './dead-letters.ts'
export type {
  DiedTask,
  InboxEngine,
  Json,
  Rate,
  Task,
  TaskFailure,
  TaskHandler,
  TaskList,
  TaskRecord,
  TaskState,
  Worker,
  WorkOptions,
} from './engine/inbox-engine.ts'
export {
  Again,
  endOfFailure,
  PauseQueue,
  Permanent,
  type RetryLimits,
  RunTimeout,
  type TaskFailureEnd,
} from './engine/task-ends.ts'
export { createInbox, type Inbox } from './inbox.ts'
export { isJobLostError, JobLostError, PermanentError } from './inbox-errors.ts'
export type {
  DeadLetterNotice,
  HandlerFailure,
  InboxMetric,
  InboxMetricName,
  LostJob,
  MissedWebhook,
  UnconfirmedRun,
} from './inbox-notices.ts'
export type {
  DeliveryContext,
  DrainOptions,
  EventHandler,
  ExpectOptions,
  InboxOptions,
  JobReader,
  PageOptions,
  PreparedRun,
  PrepareOptions,
  SweepOptions,
  SweepReport,
  Trust,
  WaitUntil,
} from './inbox-options.ts'
export type {
  LambdaContext,
  LambdaEvent,
  LambdaHandler,
  LambdaRequestContext,
  LambdaResponse,
} from './lambda-handler.ts'
export { checkOutputUrls, isSafeOutputUrl, type OutputUrlOptions, type OutputUrlProblem } from './output-urls.ts'
export { parseWebhook } from './parse-webhook.ts'
export type { EventListener } from './subscribers/subscribers.ts'
export type { WebhookBody } from './webhook-body.ts'
export type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'
