/**
 * Runs that outlive a process.
 *
 * @module
 */

export type { TaskFailure } from '@modelrun/kit'
export type { Codec } from './engine/codec.ts'
export type { Engine } from './engine/engine.ts'
export { createRuns } from './runs/create-runs.ts'
export type { ListedRun, RunList } from './runs/list-runs.ts'
export type { RunItem } from './runs/run-each.ts'
export type { RunsWebhooks } from './runs/run-inbox.ts'
export type { EndedStep, FinishedRun, OpenStep, Run, RunsProgress, StepRun } from './runs/run-types.ts'
export type { Runs, RunsOptions } from './runs/runs-options.ts'
export type { ReadOptions, SendOptions } from './runs/send-run.ts'
