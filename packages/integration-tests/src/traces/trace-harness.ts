import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { traceRuns } from 'modelrun/otel'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'

/** 4 s. */
export const FAST = 'aurora-image'
/** 90 s. */
export const SLOW = 'lumen/aurora-video'
export const INPUT = { prompt: 'a red fox' }
export const ROOT = `generate_content ${FAST}`

export const UNSET = { code: 'UNSET' }

/** By OpenTelemetry's numbers. */
const KINDS: readonly string[] = ['INTERNAL', 'SERVER', 'CLIENT']
const CODES: readonly string[] = ['UNSET', 'OK', 'ERROR']

/** A server on its auto clock for each test of the file, and OpenTelemetry, set up as a Node program does, for all of them. */
export function useTraceHarness() {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  const tracer = provider.getTracer('app')
  let server: CheckedServer
  let stop: () => void
  beforeAll(() => {
    stop = traceRuns(tracer)
  })
  beforeEach(() => {
    exporter.reset()
    server = createCheckedServer()
  })
  afterEach(() => server.close())
  afterAll(async () => {
    stop()
    await provider.shutdown()
  })

  /** What a test reads of the exported spans, in the order in which they ended. */
  const spans = () => {
    const finished = exporter.getFinishedSpans()
    return finished.map((span) => shown(span, finished))
  }
  return {
    get server() {
      return server
    },
    tracer,
    spans,
    named: (name: string) => spans().filter((span) => span.name === name),
    /** The exported spans as they are. */
    raw: () => exporter.getFinishedSpans(),
    /** A client without jitter. */
    connect: (options?: ModelRunOptions) =>
      new ModelRun({ ...server.clientOptions(), random: () => 0.5, logLevel: 'off', ...options }),
    /** The only span. */
    only: () => {
      const [span, ...others] = spans()
      expect(others).toEqual([])
      return span
    },
  }
}

function shown(
  { name, kind, parentSpanContext: parent, status, attributes, events }: ReadableSpan,
  all: ReadableSpan[],
) {
  const above = all.find((span) => span.spanContext().spanId === parent?.spanId)
  return {
    name,
    kind: KINDS[kind],
    /** Name of the parent; undefined for the root of a trace. */
    parent: parent && (above?.name ?? 'a span that has not ended'),
    status: { ...status, code: CODES[status.code] },
    attributes,
    events: events.map((event): [name: string, attributes: object] => [event.name, event.attributes ?? {}]),
  }
}
