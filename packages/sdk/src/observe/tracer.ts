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
