/**
 * modelrun as a provider of the Vercel AI SDK.
 *
 * @module
 */
export type { DurableRuns } from './durable-runs.ts'
export type { ModelRunProviderOptions } from './options.ts'
export { createModelRun, type ModelRunProvider, modelrun } from './provider.ts'
