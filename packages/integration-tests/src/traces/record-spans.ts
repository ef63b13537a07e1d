import type { AttributeValue, Tracer } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

/** By OpenTelemetry's numbers. */
const KINDS: readonly string[] = ['INTERNAL', 'SERVER', 'CLIENT']
const CODES: readonly string[] = ['UNSET', 'OK', 'ERROR']

/** What a test reads of an exported span. */
export interface RecordedSpan {
  name: string
  kind: string | undefined
  /** Name of the parent; undefined for the root of a trace. */
  parent: string | undefined
  status: { code: string | undefined; message?: string | undefined }
  attributes: Record<string, AttributeValue | undefined>
  events: [name: string, attributes: Record<string, unknown>][]
  id: string
  parentId: string | undefined
  traceId: string
}

/** A tracer of OpenTelemetry's own SDK, and the spans that it has exported. */
export interface SpanRecord {
  tracer: Tracer
  /** In the order in which they ended. */
  spans(): RecordedSpan[]
  named(name: string): RecordedSpan[]
  /** The exported spans as they are. */
  raw(): readonly object[]
  reset(): void
  stop(): Promise<void>
}

/** Sets OpenTelemetry up as a Node program does. */
export function recordSpans(): SpanRecord {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  const spans = () => {
    const finished = exporter.getFinishedSpans()
    const names = new Map(finished.map((span) => [span.spanContext().spanId, span.name]))
    return finished.map((span): RecordedSpan => {
      const { name, kind, parentSpanContext: parent, status, attributes, events } = span
      return {
        name,
        kind: KINDS[kind],
        parent: parent && (names.get(parent.spanId) ?? 'a span that has not ended'),
        status: { ...status, code: CODES[status.code] },
        attributes,
        events: events.map((event) => [event.name, event.attributes ?? {}]),
        id: span.spanContext().spanId,
        parentId: parent?.spanId,
        traceId: span.spanContext().traceId,
      }
    })
  }
  return {
    tracer: provider.getTracer('app'),
    spans,
    named: (name) => spans().filter((span) => span.name === name),
    raw: () => exporter.getFinishedSpans(),
    reset: () => exporter.reset(),
    stop: () => provider.shutdown(),
  }
}
