import { AbortedError } from '../errors/transport-errors.ts'
import { describeFailure } from './describe-failure.ts'
import { watch } from './logger.ts'

/** Attributes of which some may not be known. */
export type SomeAttributes = { readonly [name: string]: SpanAttributes[string] | undefined }

/**
 * A span that ends once and never throws, because a failing tracer must not lose a result that is paid for. A method that
 * the tracer's span does not have is skipped.
 */
export class SafeSpan {
  readonly #span: Span | undefined
  readonly #onFault: (error: unknown) => void
  #isOver = false

  /** @param span Undefined when the tracer gave none */
  constructor(span: Span | undefined, onFault: (error: unknown) => void) {
    this.#span = span
    this.#onFault = onFault
  }

  set(attributes: SomeAttributes): void {
    for (const [name, value] of Object.entries(known(attributes))) this.#try((span) => span.setAttribute(name, value))
  }

  event(name: string, attributes: SomeAttributes = {}): void {
    this.#try((span) => span.addEvent?.(name, known(attributes)))
  }

  end(): void {
    this.#try((span) => span.end())
    this.#isOver = true
  }

  /** Ends the span with an error. An abort by the caller is not an error: the conventions leave its status unset. */
  fail(error: unknown): void {
    if (error instanceof AbortedError) {
      this.abandon()
      return
    }
    const { type, message } = describeFailure(error)
    this.set({ 'error.type': type })
    this.#try((span) => span.setStatus?.({ code: 2, ...(message === undefined ? {} : { message }) }))
    this.end()
  }

  /** Ends the span because its caller has stopped waiting. */
  abandon(): void {
    this.set({ 'modelrun.aborted': true })
    this.end()
  }

  #try(work: (span: Span) => unknown): void {
    const span = this.#span
    if (span === undefined || this.#isOver) return
    watch(() => work(span), this.#onFault)
  }
}

/** The attributes that are known. */
export function known(attributes: SomeAttributes): SpanAttributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined)
  // The filter leaves no undefined value.
  return Object.fromEntries(entries) as SpanAttributes
}

/** Attributes of a span or an event. */
export type SpanAttributes = Record<string, string | number | boolean>

/** The part of an OpenTelemetry span that is used. */
export interface Span {
  /** Sets one attribute of the span. */
  setAttribute(key: string, value: string | number | boolean): unknown
  /** Adds an event, such as a retry or a poll, at the current time. */
  addEvent?(name: string, attributes: SpanAttributes): unknown
  /** `code` is 2, OpenTelemetry's `ERROR`. */
  setStatus?(status: { code: 2; message?: string }): unknown
  /** Ends the span. Called once. */
  end(): void
}

/** The part of an OpenTelemetry tracer that is used: `trace.getTracer('app')` fits, and nothing depends on it. */
export interface Tracer {
  /** `kind` is 0 for OpenTelemetry's `INTERNAL` and 2 for `CLIENT`. */
  startActiveSpan<T>(name: string, options: { kind: 0 | 2; attributes: SpanAttributes }, work: (span: Span) => T): T
}
