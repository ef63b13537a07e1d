import { trace } from '@opentelemetry/api'
import type { Tracer } from 'modelrun/otel'
import { expectTypeOf, test } from 'vitest'

test('a tracer of OpenTelemetry fits, without a cast', () => {
  expectTypeOf(trace.getTracer('app')).toExtend<Tracer>()
})
