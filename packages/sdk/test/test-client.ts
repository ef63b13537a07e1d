// Loading takes real time, in which a manual clock moves on: parts that load on first use are there before.
import '../src/client/files/use-files.ts'
import '../src/client/http/ky-hooks.ts'
import '../src/client/models/model-operations.ts'
import '../src/client/runs/preflight.ts'
import '../src/client/runs/raw-request.ts'
import '../src/client/runs/receiver-calls.ts'
import '../src/client/runs/run-many.ts'
import { ModelRun } from '../src/client/client.ts'
import { type Core, createCore } from '../src/client/core.ts'
import { type ModelRunOptions, resolveOptions } from '../src/client/options.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { createScriptedService, type ScriptedService, type Step } from './scripted-service.ts'

/** As long as a real key, so that it is redacted as one. */
export const API_KEY = 'sk_test_0123456789abcdefABCDEF'

export const BASE_URL = 'https://api.example.com'

/** The fakes around the client of a test. */
export interface TestHarness {
  service: ScriptedService
  clock: ManualClock
}

/** A client on a manual clock whose responses come from a script. Without jitter: each delay is half of its maximum. */
export function createTestClient(
  steps: readonly Step[],
  options: ModelRunOptions = {},
): TestHarness & { client: ModelRun } {
  const { service, clock, options: all } = prepare(steps, options)
  return { service, clock, client: new ModelRun(all) }
}

/** The same for the parts of a client. */
export function createTestCore(steps: readonly Step[], options: ModelRunOptions = {}): TestHarness & { core: Core } {
  const { service, clock, options: all } = prepare(steps, options)
  return { service, clock, core: createCore(resolveOptions(all)) }
}

function prepare(steps: readonly Step[], options: ModelRunOptions): TestHarness & { options: ModelRunOptions } {
  const clock = createManualClock()
  const service = createScriptedService(steps, clock)
  const defaults = { apiKey: API_KEY, baseUrl: BASE_URL, fetch: service.fetch, clock, random: () => 0.5 }
  return { service, clock, options: { logLevel: 'off', ...defaults, ...options } }
}

/** Options with a logger that records its lines, each after its level. */
export function recordLog(logLevel: 'warn' | 'debug' = 'debug') {
  const lines: string[] = []
  const at = (level: string) => (line: string) => void lines.push(`${level} ${line}`)
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { lines, logger, log: { logger, logLevel } as const }
}
