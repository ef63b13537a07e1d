/**
 * What several packages need and is not about the wire: it becomes part of each of them.
 *
 * @module
 */
export {
  atLeastOne,
  type Check,
  type Checks,
  callback,
  checkEach,
  clock,
  count,
  flag,
  hasMethods,
  having,
  hidden,
  httpUrl,
  integer,
  isText,
  must,
  needs,
  notNegative,
  oneNameOf,
  oneOf,
  positive,
  readArguments,
  readOptions,
  rejectArgument,
  signal,
  text,
  unchecked,
} from './checks.ts'
export { cleanText, printFailure, safeJson } from './clean-text.ts'
export {
  abortable,
  type BackoffLimits,
  backoffMs,
  type Clock,
  jitter,
  sleep,
  startLimit,
  startTimer,
  systemClock,
  untilStored,
  wallNow,
  watch,
  withTimeLimit,
} from './clock.ts'
export { closestName } from './closest-name.ts'
export { collectBytes } from './collect-bytes.ts'
export {
  createDurations,
  type Durations,
  type ExpectedDuration,
  type PollAge,
  pollDelayMs,
} from './durations.ts'
export type {
  DiedTask,
  InboxEngine,
  Json,
  OnceOptions,
  OnceResult,
  Rate,
  Task,
  TaskFailure,
  TaskHandler,
  TaskList,
  TaskRecord,
  TaskState,
  Worker,
  WorkOptions,
} from './engine/engine.ts'
export {
  isNonRetriable,
  isRetryAfter,
  NonRetriableError,
  PauseQueue,
  RetryAfterError,
  type TaskEnd,
} from './engine/task-ends.ts'
export { createTaskEngine, noCursor } from './engine/task-engine.ts'
export {
  type LockedOne,
  type LockedTask,
  type LockedTasks,
  type LockOneRequest,
  type LockRequest,
  msUntilStart,
  PROCESS_DIED,
  type Spacing,
  startAfter,
  type TaskTable,
} from './engine/task-table.ts'
export { createHeap, type Heap, type HeapItem } from './heap.ts'
export { describeIssues, json, readJson } from './json.ts'
export { isLoopback, isPlainHttp } from './loopback.ts'
export {
  type Attempt,
  ConfigurationError,
  type ErrorFields,
  ModelRunError,
  named,
  type Submission,
} from './model-run-error.ts'
export { NewestMap } from './newest-map.ts'
export { type ContextCapture, createContextCapture, isWorkers, nodeBuiltin, readEnvironment } from './node-builtin.ts'
export { createRedactor, type Redactor, replaceApiKeys } from './redact.ts'
export { retryAfterMs } from './retry-after.ts'
export {
  copyJson,
  inputIssues,
  isArrayBuffer,
  isBlob,
  isPlainData,
  isRecord,
  jsonPointer,
  kindOf,
  memberOf,
  messageWithCause,
  numberIn,
  shorten,
  showValue,
  stableJson,
  stringIn,
  toUrl,
  tryParseJson,
} from './values.ts'
