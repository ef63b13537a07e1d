import { copyJson, defined, memberOf, shorten } from './values.ts'

/** Whether the request that could cost credits reached the service: "am I charged?". */
export type Submission =
  /** It certainly did not reach the service, or it is not a run: nothing is charged. */
  | 'not_sent'
  /** It was rejected: nothing is charged, as far as the service itself did it. The message says when something else did. */
  | 'rejected'
  /**
   * The service may have accepted the run, which was sent only once; or only the caller named the job of the call. Do not
   * run again before you know.
   */
  | 'unknown'
  /** The service said that the job exists. */
  | 'accepted'

/** One HTTP request that was tried for a call. */
export interface Attempt {
  /** When it started: milliseconds since the Unix epoch. */
  startedAt: number
  /** Milliseconds from the start of the request until it succeeded or failed. */
  durationMs: number
  /** HTTP status, when there was a response. */
  status?: number | undefined
  /** Why it did not succeed, e.g. `ECONNRESET` or `HTTP 503`. */
  reason: string
  /** How long the client waited before the next attempt; absent on the last one. */
  delayMs?: number | undefined
}

/** The fields of every error of this package. */
export interface ErrorFields {
  message: string
  cause?: unknown
  attempts?: readonly Attempt[] | undefined
  submission?: Submission | undefined
  jobId?: string | undefined
  body?: unknown
  requestId?: string | undefined
  status?: number | undefined
  retryAfterMs?: number | undefined
  isRetryable?: boolean | undefined
}

/** Marks errors of this package. A registered symbol works across duplicate installs, bundlers and realms. */
const ERROR_BRAND = Symbol.for('modelrun.error')

/** Base class of every error that this package throws. */
export abstract class ModelRunError extends Error {
  // Getters, because the engine reads `name` for the stack before the fields of a class exist.
  abstract override get name(): string
  /** Stable, for programs: one per kind of error, e.g. `rate_limited`. */
  abstract get code(): string

  /** Every HTTP request tried for the call, in order. */
  readonly attempts: readonly Attempt[]
  /** Whether the run was sent, rejected or accepted, or may have been accepted. */
  readonly submission: Submission
  /** The job, when its id is known. With `unknown`, one that the response names: it may be another one. */
  declare readonly jobId?: string | undefined
  /** The jobs of a call of several runs that may be charged, and whose results the call has not given. */
  declare readonly jobIds?: readonly string[] | undefined
  /**
   * What was received, without the API key. Of an error response the parsed body, or its text. Of any other response the first
   * 2,000 characters, when its run may have been accepted: they may show the job id to a person.
   */
  declare readonly body?: unknown
  /** The service's id of the request, for its support. */
  declare readonly requestId?: string | undefined
  /** HTTP status of the last response. */
  declare readonly status?: number | undefined
  /** How long the service asked to wait, in milliseconds. */
  declare readonly retryAfterMs?: number | undefined
  /** True when doing the same again later may succeed and cannot charge twice. */
  readonly isRetryable: boolean

  constructor(fields: ErrorFields) {
    super(shorten(fields.message), fields.cause === undefined ? undefined : { cause: fields.cause })
    // Own, because loggers, copies and JSON take own members only.
    Object.defineProperty(this, 'code', { value: memberOf(this, 'code'), enumerable: true })
    this.attempts = fields.attempts ?? []
    this.submission = fields.submission ?? 'not_sent'
    this.isRetryable = fields.isRetryable ?? false
    const { jobId, body, requestId, status, retryAfterMs } = fields
    Object.assign(this, defined({ jobId, body, requestId, status, retryAfterMs }))
  }

  get [ERROR_BRAND](): true {
    return true
  }

  /** Plain JSON, with the name and the message, which JSON leaves out of errors. */
  toJSON(): object {
    return copyJson(Object.assign({ name: this.name, message: this.message }, this))
  }

  /**
   * Also true for errors of another copy of this package: of its CommonJS files beside its ES modules, of a second install,
   * or of another realm.
   *
   * @internal
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of `instanceof`
    return Function.prototype[Symbol.hasInstance].call(this, value) || isOfOtherCopy(value, this)
  }
}

/** Marks the classes that {@link named} returns. */
const IS_NAMED = Symbol('named')

/**
 * The class above an error class of this package, with its name and its code:
 * `class SaveError extends named(ModelRunError, 'SaveError', 'save_failed') {}`.
 */
export function named<Fields extends ErrorFields, Parent, Name extends string, Code extends string>(
  parent: abstract new (fields: Fields) => Parent,
  name: Name,
  code: Code,
): new (
  fields: Fields,
) => Parent & { readonly name: Name; readonly code: Code } {
  // TypeScript cannot extend a class whose instances are of a type parameter.
  class Named extends (parent as unknown as typeof ModelRunError) {
    static readonly [IS_NAMED] = true
    override get name(): string {
      return name
    }
    override get code(): string {
      return code
    }
  }
  return Named as unknown as ReturnType<typeof named<Fields, Parent, Name, Code>>
}

/**
 * True when an error is an instance of the same class in another copy of this package. Classes with the same name are the
 * same. A class that a user derives without a `name` of its own is different from all others.
 */
function isOfOtherCopy(error: unknown, ours: typeof ModelRunError): boolean {
  if (typeof error !== 'object' || error === null || !(ERROR_BRAND in error)) return false
  // Every marked error is an instance of the base class.
  if (Object.hasOwn(ours.prototype, ERROR_BRAND)) return true
  const hasName = Object.hasOwn(ours.prototype, 'name') || Object.hasOwn(Object.getPrototypeOf(ours), IS_NAMED)
  for (let theirs = Object.getPrototypeOf(error); hasName && theirs !== null; theirs = Object.getPrototypeOf(theirs)) {
    if (Object.hasOwn(theirs, 'name') && theirs.name === ours.prototype.name) return true
  }
  return false
}

/** An option or an argument is missing or wrong. Nothing was sent. */
export class ConfigurationError extends /* @__PURE__ */ named(ModelRunError, 'ConfigurationError', 'configuration') {}
