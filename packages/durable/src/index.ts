/**
 * Runs that outlive a process.
 *
 * @module
 */
export type {
  Engine,
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
} from './engine/engine.ts'
export type { TableEngineOptions } from './engine/table-engine.ts'
export { Again, PauseQueue, Permanent } from './engine/task-ends.ts'
export { createRuns, type Runs, type RunsOptions } from './runs/create-runs.ts'
export type { FinishedRun, Run, RunState, RunsProgress } from './runs/run-types.ts'
