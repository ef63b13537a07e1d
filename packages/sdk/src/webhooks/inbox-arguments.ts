import { count, isText, must, needs, notNegative, positive, signal, text } from '../arguments/checks.ts'
import { type Check, type Checks, checkEach } from '../arguments/read-options.ts'
import type { PageOptions } from './dead-letters.ts'
import type { DrainOptions } from './workers/drain-inbox.ts'
import type { ExpectOptions, PrepareOptions } from './expected/expectations.ts'
import type { SweepOptions } from './workers/inbox-workers.ts'

const json = /* @__PURE__ */ must('what JSON can hold', isJson)

export const PREPARE_OPTIONS: Checks<PrepareOptions> = { context: json, modelId: text }
export const EXPECT_OPTIONS: Checks<ExpectOptions> = { context: json, modelId: text, ref: text, pollInMs: notNegative }
export const WAIT_FOR_OPTIONS: Checks<{ signal?: AbortSignal | undefined }> = { signal }
export const SWEEP_OPTIONS: Checks<SweepOptions> = { forMs: positive }
export const DRAIN_OPTIONS: Checks<DrainOptions> = { timeoutMs: notNegative }
export const PAGE_OPTIONS: Checks<PageOptions> = { limit: count, after: text }

/** What the arguments of an inbox are checked with, by their names. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  return {
    // The other two would change the path of a URL.
    jobId: needs('a job id', (value) => isText(value) && value !== '.' && value !== '..'),
    ref: id,
    key: id,
    baseUrl: text,
    context: json,
    listener: needs('a function', (value) => typeof value === 'function'),
  } satisfies Record<string, Check>
})()

/** Checks the arguments of a method of an inbox but for its options. @throws ConfigurationError */
export function checkInboxArguments(
  method: string,
  given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown },
): void {
  checkEach(`inbox.${method}`, given, ARGUMENTS)
}

function isJson(value: unknown): boolean {
  try {
    // Undefined for a function or a symbol.
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
