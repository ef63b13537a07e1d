import { trace } from '@opentelemetry/api'
import type { Tracer } from 'modelrun'
import { ModelRun } from 'modelrun'
import { expectTypeOf, test } from 'vitest'

test('a tracer of OpenTelemetry is a tracer of the client, without a cast', () => {
  const tracer = trace.getTracer('app')
  expectTypeOf(tracer).toExtend<Tracer>()
  new ModelRun({ tracer })
})

test('a tracer may lack what came to OpenTelemetry later: status and events', () => {
  const span = { setAttribute: () => {}, end: () => {} }
  const tracer: Tracer = { startActiveSpan: (_name, _options, work) => work(span) }
  new ModelRun({ tracer })
})
