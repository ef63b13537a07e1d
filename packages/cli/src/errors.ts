import { memberOf, stringIn } from '@modelrun/kit'
import type { ModelRunError } from 'modelrun'
import { EXIT, type ExitCode } from './context.ts'
import { shellWord } from './terminal/text.ts'

export abstract class CommandError extends Error {
  abstract readonly exitCode: ExitCode
  abstract readonly code: string
  readonly details: readonly string[]

  constructor(message: string, details: readonly string[] = [], options?: ErrorOptions) {
    super(message, options)
    this.details = details
  }
}

function commandError<Code extends string>(exitCode: ExitCode, code: Code) {
  return class extends CommandError {
    readonly exitCode = exitCode
    readonly code = code
  }
}

/** Something is wrong with the command line, or with a file or variable that it needs. */
export class UsageError extends commandError(EXIT.usage, 'usage') {}

/** The command rejected a run before it was sent: it costs more than was allowed. */
export class RejectedRunError extends commandError(EXIT.rejected, 'budget_exceeded') {}

/** A person or the system ended the command. The message says what continues, and how to follow it. */
export class InterruptedError extends commandError(EXIT.interrupted, 'interrupted') {}

export class DiskError extends commandError(EXIT.unknown, 'disk') {}

/** The job has succeeded, and some of its files are not saved. */
export class UnsavedError extends commandError(EXIT.unknown, 'unsaved') {
  readonly facts: object

  constructor(message: string, jobId: string, options: ErrorOptions) {
    super(message, [], options)
    this.facts = { submission: 'accepted', job_id: jobId }
  }
}

/** A batch that sends no more rows: the key, its permissions or its credits do not suffice. */
export class PausedError extends CommandError {
  readonly exitCode = EXIT.rejected
  readonly code: string

  constructor(reason: unknown) {
    super(messageOf(reason), ['The batch is paused. The same command again continues with it.'])
    this.code = stringIn(reason, 'code') ?? 'paused'
  }
}

/** The mark on every error of the client. Its package is not loaded for this. */
const ERROR_BRAND = Symbol.for('modelrun.error')

/** Whether it is an error of the client package, of any copy of it. */
export function isClientError(error: unknown): error is ModelRunError {
  return error instanceof Error && ERROR_BRAND in error
}

/** What a person does, in the place of what a program does. */
const ADVICE: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^The item 0 of the output cannot be saved: | The result of the job .*$| \(`error\.\w+`\)/gs, ''],
  [
    / A run with a `webhook`[^.]*\.| Raise `timeoutMs`[^.]*\.|; or raise maxBytes[^.]*| Otherwise pass the option `type`\./g,
    '',
  ],
  [/pass `dangerouslyAllowHttp: true`/, 'set MODELRUN_ALLOW_HTTP=1'],
  [/(The option )?`baseUrl`/g, 'MODELRUN_BASE_URL or --base-url'],
]

/** The message of an error. Those of the client say what to call in a program. */
export function messageOf(error: unknown): string {
  if (!isClientError(error)) return error instanceof Error ? error.message : String(error)
  const { jobId, message } = error
  const ofJob =
    jobId === undefined ? message : message.replace(/with `?jobs\.get`?/, () => `with: ${jobCommand(jobId)}`)
  return ADVICE.reduce((text, [pattern, words]) => text.replace(pattern, words), ofJob)
}

export function jobCommand(jobId: string): string {
  return `modelrun job ${shellWord(jobId)}`
}

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_FULL = 13

/** Whether another program holds the database of a batch. */
export function isLocked(error: unknown): boolean {
  const errcode = memberOf(error, 'errcode')
  return typeof errcode === 'number' && [SQLITE_BUSY, SQLITE_LOCKED].includes(errcode & 0xff)
}

/** Why the disk does not take what is written, in words; undefined for an error of another kind, or one that passes. */
export function diskProblem(error: unknown): string | undefined {
  const code = memberOf(error, 'code')
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full'
  const errcode = memberOf(error, 'errcode')
  // The higher bits have the details.
  const kind = typeof errcode === 'number' ? errcode & 0xff : undefined
  if (kind === SQLITE_FULL) return 'The disk is full'
  if (kind !== undefined && !isLocked(error)) {
    return `The state of the batch cannot be written (${messageOf(error)})`
  }
  const cause = memberOf(error, 'cause')
  return cause === undefined || cause === error ? undefined : diskProblem(cause)
}
