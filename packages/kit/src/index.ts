/**
 * What several packages need and is not about the wire: it becomes part of each of them.
 *
 * @module
 */
export * from './checks.ts'
export * from './clean-text.ts'
export * from './clock.ts'
export * from './closest-name.ts'
export * from './collect-bytes.ts'
export * from './durations.ts'
export type * from './engine/engine.ts'
export * from './engine/task-ends.ts'
export * from './engine/task-engine.ts'
export * from './engine/task-table.ts'
export * from './heap.ts'
export * from './json.ts'
export * from './loopback.ts'
export * from './model-run-error.ts'
export * from './newest-map.ts'
export * from './node-builtin.ts'
export * from './redact.ts'
export * from './retry-after.ts'
export * from './values.ts'
