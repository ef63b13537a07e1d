/**
 * What several packages need and is not about the wire: it becomes part of each of them.
 *
 * @module
 */
export * from './checks.ts'
export * from './clean-text.ts'
export * from './clock.ts'
export * from './closest-name.ts'
export * from './collections.ts'
export * from './durations.ts'
export type * from './engine/engine.ts'
export * from './engine/task-ends.ts'
export * from './engine/task-engine.ts'
export * from './engine/task-table.ts'
export * from './json.ts'
export * from './loopback.ts'
export * from './model-run-error.ts'
export * from './node-builtin.ts'
export * from './redact.ts'
export * from './retry-after.ts'
export * from './values.ts'
