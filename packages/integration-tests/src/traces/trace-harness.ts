import type { ReferenceServer } from '@modelrun/reference-server'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { traceRuns } from 'modelrun/otel'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { type RecordedSpan, recordSpans, type SpanRecord } from './record-spans.ts'

/** 4 s. */
export const FAST = 'aurora-image'
/** 90 s. */
export const SLOW = 'lumen/aurora-video'
export const INPUT = { prompt: 'a red fox' }
export const ROOT = `generate_content ${FAST}`

export const UNSET = { code: 'UNSET' }

/** What tests of traces work with. */
export interface TraceHarness {
  readonly server: ReferenceServer
  readonly record: SpanRecord
  /** A client without jitter. */
  connect(options?: ModelRunOptions): ModelRun
  /** The only span. */
  only(): RecordedSpan | undefined
}

/** A server on its auto clock for each test of the file, and OpenTelemetry for all of them. */
export function useTraceHarness(): TraceHarness {
  const record = recordSpans()
  let server: ReferenceServer
  let stop: () => void
  beforeAll(() => {
    stop = traceRuns(record.tracer)
  })
  beforeEach(() => {
    record.reset()
    server = createCheckedServer()
  })
  afterEach(() => server.close())
  afterAll(async () => {
    stop()
    await record.stop()
  })
  return {
    get server() {
      return server
    },
    record,
    connect: (options) =>
      new ModelRun({
        ...server.clientOptions(),
        random: () => 0.5,
        logLevel: 'off',
        ...options,
      }),
    only: () => {
      const [span, ...others] = record.spans()
      expect(others).toEqual([])
      return span
    },
  }
}
