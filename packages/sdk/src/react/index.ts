'use client' // For frameworks with server components: hooks run in pages.

/**
 * Runs of models in React pages, over the proxy of `modelrun/proxy`.
 *
 * @module
 */
export type { RunProgress, RunState } from './run-state.ts'
export { type RunActions, type UseRunOptions, useRun } from './use-run.ts'
