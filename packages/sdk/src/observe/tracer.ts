/** The part of an OpenTelemetry span that is used. */
export interface Span {
  setAttribute(key: string, value: string | number): unknown
  recordException(error: Error): unknown
  end(): void
}

/** The part of an OpenTelemetry tracer that is used: `trace.getTracer('app')` fits, and nothing depends on it. */
export interface Tracer {
  startActiveSpan<T>(name: string, options: { attributes: Record<string, string> }, work: (span: Span) => T): T
}

const NO_SPAN: Span = { setAttribute: () => {}, recordException: () => {}, end: () => {} }

/** Does work inside a span, when there is a tracer. */
export async function traced<T>(
  tracer: Tracer | undefined,
  { name, attributes }: { name: string; attributes: Record<string, string> },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return await work(NO_SPAN)
  return await tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      if (error instanceof Error) span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}
