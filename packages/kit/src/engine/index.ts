/**
 * The engine of inboxes and batches: one worker, and the port to the table that stores its tasks.
 *
 * @module
 */
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
} from './engine.ts'
export { repeatUntilStored } from './repeat.ts'
export { msUntilStart, type Spacing, takeStarts } from './spacing.ts'
export { Again, isAgain, isPermanent, PauseQueue, Permanent, RunTimeout, type TaskEnd } from './task-ends.ts'
export { createTaskEngine } from './task-engine.ts'
export {
  type LockedTask,
  type LockedTasks,
  type LockRequest,
  POISON_AFTER,
  PROCESS_DIED,
  SUSPECT_AFTER,
  type TaskTable,
} from './task-table.ts'
